#include "ref/norm/scale_norm.hpp"

#include "ref/norm/kernels.hpp"
#include "ref/norm/layer_support.hpp"

namespace normproof::ref::norm {
namespace {

template <class T>
T checked_gamma(std::string_view function, const Tensor<T>& gamma) {
  if (!tensor::is_given(gamma)) return T(1);
  tensor::check_shape(function, "gamma", shape_of(gamma), {1});
  tensor::check_finite(function, "gamma", gamma);
  return gamma.data()[0];
}

}  // namespace

template <numeric::Real T>
ScaleNormForward<T> scale_norm(const Tensor<T>& x, const Tensor<T>& gamma,
                               const model::ScaleNormOptions& options) {
  constexpr auto kName = "scale_norm";
  const Extents e = tensor::check_activations(kName, "x", shape_of(x));
  tensor::check_option(kName, "eps", options.eps, options.eps >= 0, "eps >= 0 (C2)");
  const T scale = checked_gamma(kName, gamma);
  const T eps(options.eps);
  ScaleNormForward<T> result{tensor::empty_tensor<T>(shape_of(x)),
                             tensor::empty_tensor<T>(row_shape(shape_of(x)))};
  numeric::parallel_for(e.rows(), grain(e.d_model), [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      const T* p = x.data() + row * e.d_model;
      T* y = result.y.data() + row * e.d_model;
      const T square = ops::lane_sum<T>(e.d_model, [p](std::size_t i) { return T(p[i] * p[i]); });
      const T rnorm = T(1) / numeric::square_root(T(square + eps));
      result.rnorm.data()[row] = rnorm;
      for (std::size_t i = 0; i < e.d_model; ++i) y[i] = scale * (p[i] * rnorm);
    }
  });
  check_reciprocal(kName, "rnorm", result.rnorm, "x", x);
  return result;
}

template <numeric::Real T>
ScaleNormGradients<T> scale_norm_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                          const Tensor<T>& gamma, const Tensor<T>& rnorm) {
  constexpr auto kName = "scale_norm_backward";
  const Extents e = tensor::check_activations(kName, "x", shape_of(x));
  check_backward(kName, grad_y, x, "rnorm", rnorm, row_shape(shape_of(x)));
  tensor::check_finite(kName, "grad_y", grad_y);
  const T scale = checked_gamma(kName, gamma);
  ScaleNormGradients<T> result{tensor::empty_tensor<T>(shape_of(x)), tensor::empty_tensor<T>({1})};
  Tensor<T> along = tensor::empty_tensor<T>({e.rows()});
  numeric::parallel_for(e.rows(), grain(e.d_model), [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      const T* p = x.data() + row * e.d_model;
      const T* q = grad_y.data() + row * e.d_model;
      T* grad_x = result.grad_x.data() + row * e.d_model;
      const T r = rnorm.data()[row];
      const T dot =
          ops::lane_sum<T>(e.d_model, [p, q, &r](std::size_t i) { return T(q[i] * (p[i] * r)); });
      along.data()[row] = dot;
      const T factor = scale * r;
      for (std::size_t i = 0; i < e.d_model; ++i) grad_x[i] = factor * (q[i] - (p[i] * r) * dot);
    }
  });
  result.grad_gamma.data()[0] =
      ops::lane_sum<T>(e.rows(), [p = along.data()](std::size_t i) { return p[i]; });
  check_statistic(kName, "grad_gamma", result.grad_gamma, "grad_y", grad_y);
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
