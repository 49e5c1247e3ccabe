#include "ref/norm/layer_norm.hpp"

#include "ref/model/norm_layers.hpp"
#include "ref/norm/kernels.hpp"
#include "ref/norm/layer_norm_formula.hpp"
#include "ref/norm/layer_support.hpp"
#include "ref/norm/row_totals.hpp"

namespace normproof::ref::norm {

template <numeric::Real T>
LayerNormForward<T> layer_norm(const Tensor<T>& x, const Affine<T>& affine,
                               const model::LayerNormOptions& options) {
  constexpr auto kName = "layer_norm";
  const Extents e = tensor::check_activations(kName, "x", shape_of(x));
  const Parameters<T> parameters(kName, affine, e.d_model);
  check_eps(kName, options.eps);
  model::check_plain_gamma(options);

  LayerNormForward<T> result;
  result.y = tensor::empty_tensor<T>(shape_of(x));
  result.saved.mean = tensor::empty_tensor<T>(row_shape(shape_of(x)));
  result.saved.rstd = tensor::empty_tensor<T>(row_shape(shape_of(x)));
  run_on_rows(LayerNormRows<T>{.layout = row_layout(e),
                               .x = x.data(),
                               .gamma = parameters.gamma(),
                               .beta = parameters.beta(),
                               .eps = T(options.eps),
                               .y = result.y.data(),
                               .mean = result.saved.mean.data(),
                               .rstd = result.saved.rstd.data()});
  check_statistic(kName, "mean", result.saved.mean, "x", x);
  check_reciprocal(kName, "rstd", result.saved.rstd, "x", x);
  return result;
}

template <numeric::Real T>
AffineGradients<T> layer_norm_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                       const Affine<T>& affine, const LayerNormSaved<T>& saved) {
  constexpr auto kName = "layer_norm_backward";
  const Extents e = tensor::check_activations(kName, "x", shape_of(x));
  const Parameters<T> parameters(kName, affine, e.d_model);
  check_backward(kName, grad_y, x, "mean", saved.mean, row_shape(shape_of(x)));
  check_backward(kName, grad_y, x, "rstd", saved.rstd, row_shape(shape_of(x)));

  AffineGradients<T> result;
  result.grad_x = tensor::empty_tensor<T>(shape_of(x));
  RowTotals<T> totals(row_layout(e), 2);
  run_on_lanes(LayerNormBackwardRows<T>{.layout = row_layout(e),
                                        .grad_y = grad_y.data(),
                                        .x = x.data(),
                                        .gamma = parameters.gamma(),
                                        .mean = saved.mean.data(),
                                        .rstd = saved.rstd.data(),
                                        .grad_x = result.grad_x.data(),
                                        .totals = totals.lanes()});
  totals.finish();
  result.grad_gamma = totals[0];
  result.grad_beta = totals[1];
  check_gradients(kName, result, grad_y);
  return result;
}

#define NORMPROOF_INSTANTIATE(T)                                                      \
  template LayerNormForward<T> layer_norm(const Tensor<T>&, const Affine<T>&,         \
                                          const model::LayerNormOptions&);            \
  template AffineGradients<T> layer_norm_backward(const Tensor<T>&, const Tensor<T>&, \
                                                  const Affine<T>&, const LayerNormSaved<T>&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::norm
