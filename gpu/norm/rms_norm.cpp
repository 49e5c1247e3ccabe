#include "gpu/norm/rms_norm.hpp"

#include "gpu/norm/cast_kernels.hpp"
#include "gpu/norm/row_layer.hpp"

namespace normproof::gpu::norm {

void rms_norm(const ref::model::RMSNormOptions& options, const NormInputs& in, NormStep& step) {
  constexpr auto kName = "rms_norm";
  ref::model::check_plain_gamma(options);
  const Extents e = check_x(kName, in);
  const AffineSpans affine = check_affine(kName, in, e.d_model);
  const bool casts = options.storage != ref::model::StorageFormat::float64;
  run_row_forward<false>(kName, in, casts ? nullptr : &affine, options.eps, 1, row_shape(in), step);
  if (!casts) return;
  DeviceTensor<double> y = step.outputs.get("y");
  launch_elements(y.device(), y.size(),
                  RoundBeforeBeta{ref::numeric::float_format_info(options.storage),
                                  options.cast_order == ref::model::CastOrder::after_gamma, affine,
                                  e.d_model, y.span()});
}

void rms_norm_backward(const NormInputs& in, const NormStep& forward, NormStep& step) {
  constexpr auto kName = "rms_norm_backward";
  const AffineSpans affine = check_affine(kName, in, check_x(kName, in).d_model);
  run_row_backward<false>(kName, in, &affine, {}, forward.outputs.get("rstd"), 1, row_shape(in),
                          step);
}

}  // namespace normproof::gpu::norm
