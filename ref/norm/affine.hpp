#pragma once

#include "ref/tensor/contract.hpp"
#include "ref/tensor/tensor.hpp"

namespace normproof::ref::norm {

using tensor::Mask;
using tensor::Tensor;

/// The learned parameters of a layer, [D] each. An empty gamma stands for ones, an empty beta for
/// zeros.
template <class T>
struct Affine {
  Tensor<T> gamma;
  Tensor<T> beta;
};

/// What multiplies x_hat: gamma, or 1 + gamma where it is zero-centred; an empty one stays empty,
/// for ones. grad_gamma is the gradient by both.
template <class T>
Tensor<T> scale_of(const Tensor<T>& gamma, bool zero_centred) {
  if (!zero_centred || !tensor::is_given(gamma)) return gamma;
  Tensor<T> scale = gamma;
  for (T& element : scale) element = T(1) + element;
  return scale;
}

/// The gradients that every backward returns; grad_gamma and grad_beta are [D], and are returned
/// where gamma and beta are empty too.
template <class T>
struct AffineGradients {
  Tensor<T> grad_x;
  Tensor<T> grad_gamma;
  Tensor<T> grad_beta;
};

}  // namespace normproof::ref::norm
