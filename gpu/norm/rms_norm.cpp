#include "gpu/norm/rms_norm.hpp"

#include "gpu/norm/cast_kernels.hpp"
#include "gpu/norm/row_layer.hpp"

namespace normproof::gpu::norm {
namespace {

using ref::model::StorageFormat;

StorageRounding rounding_to(StorageFormat format) {
  if (format == StorageFormat::bfloat16) return {8, -126, 0x1.fep127};
  if (format == StorageFormat::float16) return {11, -14, 0x1.ffcp15};
  return {24, -126, 0x1.fffffep127};
}

}  // namespace

void rms_norm(const ref::model::RMSNormOptions& options, const NormInputs& in, NormStep& step) {
  constexpr auto kName = "rms_norm";
  const Extents e = check_x(kName, in);
  const AffineSpans affine = check_affine(kName, in, e.d_model);
  const bool casts = options.storage != StorageFormat::float64;
  row_forward<false>(kName, in, casts ? nullptr : &affine, options.eps, 1, row_shape(in), step);
  if (!casts) return;
  DeviceTensor<double> y = step.outputs.get("y");
  launch_elements(y.device(), y.size(),
                  CastOutput{rounding_to(options.storage),
                             options.cast_order == ref::model::CastOrder::after_gamma, affine,
                             e.d_model, y.span()});
}

void rms_norm_backward(const NormInputs& in, const NormStep& forward, NormStep& step) {
  constexpr auto kName = "rms_norm_backward";
  const AffineSpans affine = check_affine(kName, in, check_x(kName, in).d_model);
  row_backward<false>(kName, in, &affine, {}, forward.outputs.get("rstd"), 1, row_shape(in), step);
}

}  // namespace normproof::gpu::norm
