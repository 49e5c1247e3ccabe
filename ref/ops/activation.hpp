#pragma once

#include <limits>

#include "ref/tensor/tensor.hpp"

/// Elementwise activation functions and their backwards. The following holds for all of them:
///
/// Source    docs/specification/activations.md; GELU: [HG16]; SiLU: [EUD18]; Mish: [Mis20]
/// Shapes    x, y, grad_y and grad_x have the same shape, which may be any shape
/// Requires  (C1) grad_y has the shape of x  (C2) every element is finite
/// Error     docs/error_analysis.md, section 1: the bound that the scalar type running_error
///           computes. For `double` the constants of GELU are rounded to the nearest doubles; for
///           every other scalar type they are exact up to the type's own rounding
/// Throws    ContractError that names the function, the argument, the index and the expectation
namespace normproof::ref::ops {

using tensor::Tensor;

/// Returns x. It is the result of quantize and dequantize as real numbers: rounding to 8 bits and
/// scales belong to the storage of tensors (docs/specification/eight_bits.md).
/// Computes  y = x, without rounding
template <numeric::Real T>
Tensor<T> identity(const Tensor<T>& x);
/// Returns the gradient of identity.
/// Computes  grad_x = grad_y, without rounding
template <numeric::Real T>
Tensor<T> identity_backward(const Tensor<T>& grad_y, const Tensor<T>& x);

/// Returns x if it is positive, otherwise 0.
/// Computes  y = x if x > 0, else +0
template <numeric::Real T>
Tensor<T> relu(const Tensor<T>& x);
/// Returns the gradient of relu. The derivative of relu at 0 is defined as 0.
/// Computes  grad_x = grad_y if x > 0, else +0
template <numeric::Real T>
Tensor<T> relu_backward(const Tensor<T>& grad_y, const Tensor<T>& x);

/// Returns the exact GELU (not the tanh approximation).
/// Computes  y = (x/2) (1 + erf(x / sqrt(2)))
/// Error     if x is far below 0, the sum 1 + erf(x / sqrt(2)) cancels. Then the absolute error of
///           y is at most 2^-53 |x|, but its relative error may be large
template <numeric::Real T>
Tensor<T> gelu(const Tensor<T>& x);
/// Returns the gradient of gelu.
/// Computes  grad_x = grad_y ((1 + erf(x / sqrt(2)))/2 + x exp(-x^2/2) / sqrt(2 pi))
template <numeric::Real T>
Tensor<T> gelu_backward(const Tensor<T>& grad_y, const Tensor<T>& x);

/// These functions compute gelu and its gradient with the same bits as gelu and gelu_backward. But
/// the forward also stores erf(x / sqrt(2)) in `erf`, and the backward reads it instead of
/// computing it again.
/// Shapes    erf has the shape of x
/// Requires  (C3) erf has the shape of x and is what the forward stored
template <numeric::Real T>
Tensor<T> gelu_keeping_erf(const Tensor<T>& x, Tensor<T>& erf);
template <numeric::Real T>
Tensor<T> gelu_backward_from_erf(const Tensor<T>& grad_y, const Tensor<T>& x, const Tensor<T>& erf);

/// Returns the tanh approximation of GELU.
/// Computes  y = (x/2) (1 + tanh(v/2)) = x / (1 + exp(-v)), v = 2 sqrt(2/pi) (x + 0.044715 x^3)
/// Error     computed with exp(-|v|), so that nothing cancels
template <numeric::Real T>
Tensor<T> gelu_tanh(const Tensor<T>& x);
/// Returns the gradient of gelu_tanh, where v is as in gelu_tanh, and gate' is the derivative of
/// gate with respect to x.
/// Computes  grad_x = grad_y (gate + x gate'), gate = 1 / (1 + exp(-v))
template <numeric::Real T>
Tensor<T> gelu_tanh_backward(const Tensor<T>& grad_y, const Tensor<T>& x);

/// Returns x times its sigmoid s (SiLU, also called Swish).
/// Computes  y = x s, s = 1 / (1 + exp(-x))
/// Error     computed with exp(-|x|), so that nothing overflows or cancels
template <numeric::Real T>
Tensor<T> silu(const Tensor<T>& x);
/// Returns the gradient of silu, where s is the sigmoid of x, and s' its derivative.
/// Computes  grad_x = grad_y (s + x s')
template <numeric::Real T>
Tensor<T> silu_backward(const Tensor<T>& grad_y, const Tensor<T>& x);

/// Returns the square of relu.
/// Computes  y = r r, r = max(x, +0)
template <numeric::Real T>
Tensor<T> relu_squared(const Tensor<T>& x);
/// Returns the gradient of relu_squared.
/// Computes  grad_x = grad_y (2 r)
template <numeric::Real T>
Tensor<T> relu_squared_backward(const Tensor<T>& grad_y, const Tensor<T>& x);

/// Returns the sigmoid (logistic function).
/// Computes  y = 1 / (1 + exp(-x))
/// Error     computed with e = exp(-|x|), so that nothing overflows or cancels
template <numeric::Real T>
Tensor<T> sigmoid(const Tensor<T>& x);
/// Returns the gradient of sigmoid.
/// Computes  grad_x = grad_y e / (1 + e)^2
template <numeric::Real T>
Tensor<T> sigmoid_backward(const Tensor<T>& grad_y, const Tensor<T>& x);

/// Returns the logarithm of the sigmoid.
/// Computes  y = -log(1 + exp(-x))
/// Error     computed with e = exp(-|x|), and log(1 + e) keeps its digits if e is small
template <numeric::Real T>
Tensor<T> log_sigmoid(const Tensor<T>& x);
/// Returns the gradient of log_sigmoid.
/// Computes  grad_x = grad_y / (1 + exp(x))
template <numeric::Real T>
Tensor<T> log_sigmoid_backward(const Tensor<T>& grad_y, const Tensor<T>& x);

inline constexpr double kNoThreshold = std::numeric_limits<double>::infinity();

/// Returns softplus, a smooth form of relu.
/// Computes  y = log(1 + exp(v)) / beta with v = beta x; y = x if v > threshold
/// Requires  (C4) beta is finite and > 0; threshold is >= 0, and may be infinite
/// Error     as log_sigmoid
template <numeric::Real T>
Tensor<T> softplus(const Tensor<T>& x, double beta = 1, double threshold = kNoThreshold);
/// Returns the gradient of softplus.
/// Computes  grad_x = grad_y / (1 + exp(-v)); grad_x = grad_y if v > threshold
template <numeric::Real T>
Tensor<T> softplus_backward(const Tensor<T>& grad_y, const Tensor<T>& x, double beta = 1,
                            double threshold = kNoThreshold);

/// Returns the hyperbolic tangent.
template <numeric::Real T>
Tensor<T> tanh_activation(const Tensor<T>& x);
/// Returns the gradient of tanh.
/// Computes  grad_x = grad_y 4 e / (1 + e)^2, e = exp(-2|x|)
template <numeric::Real T>
Tensor<T> tanh_activation_backward(const Tensor<T>& grad_y, const Tensor<T>& x);

/// Returns mish, x times the hyperbolic tangent of its softplus.
/// Computes  y = x g, g = tanh(log(1 + exp(x)))
/// Error     the gate g is a quotient of polynomials in exp(-|x|), so that nothing cancels
template <numeric::Real T>
Tensor<T> mish(const Tensor<T>& x);
/// Returns the gradient of mish, where g' is the derivative of g.
/// Computes  grad_x = grad_y (g + x g')
template <numeric::Real T>
Tensor<T> mish_backward(const Tensor<T>& grad_y, const Tensor<T>& x);

}  // namespace normproof::ref::ops
