#include "ref/norm/add_norm.hpp"

#include <utility>

#include "ref/ops/arithmetic.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::ref::norm {

using numeric::Clause;
using tensor::shape_of;

namespace {

template <class T>
Tensor<T> check_and_add(std::string_view function, const Tensor<T>& x, const Tensor<T>& residual) {
  tensor::check_shape(function, "residual", shape_of(residual), shape_of(x), Clause::C1);
  Tensor<T> sum = x;
  ops::add_in_place(sum, residual);
  tensor::check_finite(function, "x + residual", sum, Clause::C2);
  return sum;
}

template <class T>
void add_sum_gradient(std::string_view function, const Tensor<T>& grad_sum, Tensor<T>& grad_x) {
  if (!tensor::is_given(grad_sum)) return;
  tensor::check_shape(function, "grad_sum", shape_of(grad_sum), shape_of(grad_x), Clause::C3);
  ops::add_in_place(grad_x, grad_sum);
  tensor::check_finite(function, "grad_x", grad_x, Clause::C4);
}

}  // namespace

template <numeric::Real T>
AddLayerNormForward<T> add_layer_norm(const Tensor<T>& x, const Tensor<T>& residual,
                                      const Affine<T>& affine,
                                      const model::LayerNormOptions& options) {
  Tensor<T> sum = check_and_add("add_layer_norm", x, residual);
  LayerNormForward<T> forward = layer_norm(sum, affine, options);
  return {std::move(forward.y), std::move(sum), std::move(forward.saved)};
}

template <numeric::Real T>
AffineGradients<T> add_layer_norm_backward(const Tensor<T>& grad_y, const Tensor<T>& grad_sum,
                                           const Tensor<T>& sum, const Affine<T>& affine,
                                           const LayerNormSaved<T>& saved) {
  AffineGradients<T> gradients = layer_norm_backward(grad_y, sum, affine, saved);
  add_sum_gradient("add_layer_norm_backward", grad_sum, gradients.grad_x);
  return gradients;
}

template <numeric::Real T>
AddRMSNormForward<T> add_rms_norm(const Tensor<T>& x, const Tensor<T>& residual,
                                  const Affine<T>& affine, const model::RMSNormOptions& options) {
  Tensor<T> sum = check_and_add("add_rms_norm", x, residual);
  RMSNormForward<T> forward = rms_norm(sum, affine, options);
  return {std::move(forward.y), std::move(sum), std::move(forward.saved)};
}

template <numeric::Real T>
AffineGradients<T> add_rms_norm_backward(const Tensor<T>& grad_y, const Tensor<T>& grad_sum,
                                         const Tensor<T>& sum, const Affine<T>& affine,
                                         const RMSNormSaved<T>& saved) {
  AffineGradients<T> gradients = rms_norm_backward(grad_y, sum, affine, saved);
  add_sum_gradient("add_rms_norm_backward", grad_sum, gradients.grad_x);
  return gradients;
}

#define NORMPROOF_INSTANTIATE(T)                                                                   \
  template AddLayerNormForward<T> add_layer_norm(                                                  \
      const Tensor<T>&, const Tensor<T>&, const Affine<T>&, const model::LayerNormOptions&);       \
  template AffineGradients<T> add_layer_norm_backward(const Tensor<T>&, const Tensor<T>&,          \
                                                      const Tensor<T>&, const Affine<T>&,          \
                                                      const LayerNormSaved<T>&);                   \
  template AddRMSNormForward<T> add_rms_norm(const Tensor<T>&, const Tensor<T>&, const Affine<T>&, \
                                             const model::RMSNormOptions&);                        \
  template AffineGradients<T> add_rms_norm_backward(const Tensor<T>&, const Tensor<T>&,            \
                                                    const Tensor<T>&, const Affine<T>&,            \
                                                    const RMSNormSaved<T>&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::norm
