#pragma once

#include "ref/tensor/contract.hpp"
#include "ref/tensor/tensor.hpp"

namespace normproof::ref::norm {

using tensor::Mask;
using tensor::Tensor;

/// The learned scale gamma and shift beta of a layer, [D] each. An empty gamma stands for ones, an
/// empty beta for zeros.
template <class T>
struct Affine {
  Tensor<T> gamma;
  Tensor<T> beta;
};

/// Returns the factor that multiplies x_hat. It is 1 + gamma if gamma is zero-centered, otherwise
/// gamma. If gamma is empty, the factor is empty too and stands for ones. The gradient with respect
/// to this factor is also the gradient with respect to gamma.
template <class T>
Tensor<T> effective_gamma(const Tensor<T>& gamma, bool zero_centered) {
  if (!zero_centered || !tensor::is_given(gamma)) return gamma;
  Tensor<T> scale = gamma;
  for (T& element : scale) element = T(1) + element;
  return scale;
}

/// The gradients that the backward of a layer returns. grad_gamma and grad_beta are [D]. They are
/// computed even if gamma and beta are empty.
template <class T>
struct AffineGradients {
  Tensor<T> grad_x;
  Tensor<T> grad_gamma;
  Tensor<T> grad_beta;
};

}  // namespace normproof::ref::norm
