#include "ref/norm/layer_norm.hpp"

#include "ref/norm/row_layer.hpp"

namespace normproof::ref::norm {

template <numeric::Real T>
LayerNormForward<T> layer_norm(const Tensor<T>& x, const Affine<T>& affine,
                               const model::LayerNormOptions& options) {
  constexpr auto kName = "layer_norm";
  const Extents e = tensor::check_activations(kName, "x", shape_of(x));
  const Parameters<T> parameters(kName, affine, e.d_model);
  auto result = row_forward<true, T>(kName, x, &parameters, options.eps, 1, row_shape(shape_of(x)));
  return {std::move(result.y), {std::move(result.mean), std::move(result.rstd)}};
}

template <numeric::Real T>
AffineGradients<T> layer_norm_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                       const Affine<T>& affine, const LayerNormSaved<T>& saved) {
  constexpr auto kName = "layer_norm_backward";
  const Extents e = tensor::check_activations(kName, "x", shape_of(x));
  const Parameters<T> parameters(kName, affine, e.d_model);
  return row_backward<true, T>(kName, grad_y, x, &parameters, &saved.mean, saved.rstd, 1,
                               row_shape(shape_of(x)));
}

#define NORMPROOF_INSTANTIATE(T)                                                      \
  template LayerNormForward<T> layer_norm(const Tensor<T>&, const Affine<T>&,         \
                                          const model::LayerNormOptions&);            \
  template AffineGradients<T> layer_norm_backward(const Tensor<T>&, const Tensor<T>&, \
                                                  const Affine<T>&, const LayerNormSaved<T>&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::norm
