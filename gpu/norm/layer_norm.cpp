#include "gpu/norm/layer_norm.hpp"

#include "gpu/norm/row_layer.hpp"

namespace normproof::gpu::norm {

void layer_norm(const ref::model::LayerNormOptions& options, const NormInputs& in, NormStep& step) {
  constexpr auto kName = "layer_norm";
  ref::model::check_plain_gamma(options);
  const AffineSpans affine = check_affine(kName, in, check_x(kName, in).d_model);
  run_row_forward<true>(kName, in, &affine, options.eps, 1, row_shape(in), step);
}

void layer_norm_backward(const NormInputs& in, const NormStep& forward, NormStep& step) {
  constexpr auto kName = "layer_norm_backward";
  const AffineSpans affine = check_affine(kName, in, check_x(kName, in).d_model);
  run_row_backward<true>(kName, in, &affine, forward.outputs.get("mean"),
                         forward.outputs.get("rstd"), 1, row_shape(in), step);
}

}  // namespace normproof::gpu::norm
