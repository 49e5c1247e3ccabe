#include "ref/norm/scale_norm.hpp"

#include "ref/norm/kernels.hpp"
#include "ref/norm/layer_support.hpp"
#include "ref/norm/scale_norm_formula.hpp"
#include "ref/ops/reduce.hpp"

namespace normproof::ref::norm {
namespace {

template <class T>
T check_and_return_gamma(std::string_view function, const Tensor<T>& gamma) {
  if (!tensor::is_given(gamma)) return T(1);
  tensor::check_shape(function, "gamma", shape_of(gamma), {1}, Clause::C3);
  tensor::check_finite(function, "gamma", gamma, Clause::C4);
  return gamma.data()[0];
}

}  // namespace

template <numeric::Real T>
ScaleNormForward<T> scale_norm(const Tensor<T>& x, const Tensor<T>& gamma,
                               const model::ScaleNormOptions& options) {
  constexpr auto kName = "scale_norm";
  const Extents e = tensor::check_activations(kName, "x", shape_of(x));
  check_eps(kName, options.eps);
  const T scale = check_and_return_gamma(kName, gamma);
  ScaleNormForward<T> result{tensor::empty_tensor<T>(shape_of(x)),
                             tensor::empty_tensor<T>(row_shape(shape_of(x)))};
  run_on_rows(ScaleNormRows<T>{.layout = row_layout(e),
                               .x = x.data(),
                               .gamma = scale,
                               .eps = T(options.eps),
                               .y = result.y.data(),
                               .rnorm = result.rnorm.data()});
  check_reciprocal(kName, "rnorm", result.rnorm, "x", x);
  return result;
}

template <numeric::Real T>
ScaleNormGradients<T> scale_norm_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                          const Tensor<T>& gamma, const Tensor<T>& rnorm) {
  constexpr auto kName = "scale_norm_backward";
  const Extents e = tensor::check_activations(kName, "x", shape_of(x));
  check_backward(kName, grad_y, x, "rnorm", rnorm, row_shape(shape_of(x)));
  tensor::check_finite(kName, "grad_y", grad_y, Clause::C7);
  const T scale = check_and_return_gamma(kName, gamma);
  ScaleNormGradients<T> result{tensor::empty_tensor<T>(shape_of(x)), tensor::empty_tensor<T>({1})};
  Tensor<T> extents_of_rows = tensor::empty_tensor<T>({e.rows()});
  run_on_rows(ScaleNormBackwardRows<T>{.layout = row_layout(e),
                                       .grad_y = grad_y.data(),
                                       .x = x.data(),
                                       .gamma = scale,
                                       .rnorm = rnorm.data(),
                                       .grad_x = result.grad_x.data(),
                                       .e = extents_of_rows.data()});
  result.grad_gamma.data()[0] = ops::sum_elements(extents_of_rows);
  check_statistic(kName, "grad_gamma", result.grad_gamma, "grad_y", grad_y, Clause::C7, Clause::C7);
  return result;
}

#define NORMPROOF_INSTANTIATE(T)                                                         \
  template ScaleNormForward<T> scale_norm(const Tensor<T>&, const Tensor<T>&,            \
                                          const model::ScaleNormOptions&);               \
  template ScaleNormGradients<T> scale_norm_backward(const Tensor<T>&, const Tensor<T>&, \
                                                     const Tensor<T>&, const Tensor<T>&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::norm
