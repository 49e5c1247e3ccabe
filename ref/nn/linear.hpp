#pragma once

#include "ref/tensor/tensor.hpp"

namespace normproof::ref::nn {

using tensor::Mask;
using tensor::Tensor;

template <class T>
struct Linear {
  Tensor<T> weight;  ///< [O,I]
  Tensor<T> bias;    ///< [O]
};

template <class T>
struct LinearGradients {
  Tensor<T> grad_x;
  Linear<T> parameters;  ///< the gradients of weight and bias
};

/// Applies a linear map to the last axis of x.
/// Source    docs/specification/encoder.md
/// Computes  y_no = bias_o + sum_i x_ni weight_oi
/// Shapes    x [..., I]; weight [O,I]; bias [O]; y [..., O]
/// Requires  (C1) x has rank 2 or more and extents of at least 1  (C2) the extents I and O agree
/// Order     docs/specification/determinism.md, rule R1; the bias is added as if it were the sum of
///           a block before the first block
/// Error     docs/error_analysis.md, section 7
/// Throws    ContractError that names both shapes
template <numeric::Real T>
Tensor<T> linear(const Tensor<T>& x, const Tensor<T>& weight, const Tensor<T>& bias);
template <numeric::Real T>
Tensor<T> linear(const Tensor<T>& x, const Linear<T>& parameters) {
  return linear(x, parameters.weight, parameters.bias);
}

/// Returns the gradients of linear.
/// Computes  grad_x_ni = sum_o grad_y_no weight_oi ; grad_weight_oi = sum_n grad_y_no x_ni ;
///           grad_bias_o = sum_n grad_y_no
/// Requires  (C3) grad_y has the shape of y
/// Order     rule R1 for products, rule R2 for grad_bias
template <numeric::Real T>
LinearGradients<T> linear_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                   const Tensor<T>& weight, const Tensor<T>& bias);
template <numeric::Real T>
LinearGradients<T> linear_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                   const Linear<T>& parameters) {
  return linear_backward(grad_y, x, parameters.weight, parameters.bias);
}

}  // namespace normproof::ref::nn
