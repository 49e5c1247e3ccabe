#pragma once

#include "ref/tensor/tensor.hpp"

/// Activations, element by element. Common to all of them:
///
/// Source    docs/specification/activations.md; GELU: [HG16]; SiLU: [EUD18]
/// Shapes    x, y, grad_y, grad_x alike, of any shape
/// Requires  (C1) grad_y has the shape of x  (C2) every element is finite
/// Error     docs/derivations/error_analysis.md, section 1: the scalar running_error; the constants of GELU are
///           the nearest doubles, and the true ones for every other scalar
/// Throws    ContractError naming function, argument, index and expectation
namespace normproof::ref::ops {

using tensor::Tensor;

/// Computes  y = x where x > 0, else +0
template <numeric::Real T>
Tensor<T> relu(const Tensor<T>& x);
/// Computes  grad_x = grad_y where x > 0, else +0: the derivative at 0 is taken as 0
template <numeric::Real T>
Tensor<T> relu_backward(const Tensor<T>& grad_y, const Tensor<T>& x);

/// Computes  y = (x/2) (1 + erf(x / sqrt(2)))
/// Error     for x << 0 the sum cancels: y is off by at most 2^-53 |x|, not by some ulps of y
template <numeric::Real T>
Tensor<T> gelu(const Tensor<T>& x);
/// Computes  grad_x = grad_y ((1 + erf(x / sqrt(2)))/2 + x exp(-x^2/2) / sqrt(2 pi))
template <numeric::Real T>
Tensor<T> gelu_backward(const Tensor<T>& grad_y, const Tensor<T>& x);

/// gelu, which leaves erf(x / sqrt(2)) in `erf`, and its backward, which takes that instead of
/// computing it again: the same bits.
/// Shapes    erf as x
/// Requires  (C3) erf has the shape of x, and is what the forward left
template <numeric::Real T>
Tensor<T> gelu_keeping_erf(const Tensor<T>& x, Tensor<T>& erf);
template <numeric::Real T>
Tensor<T> gelu_backward_from_erf(const Tensor<T>& grad_y, const Tensor<T>& x, const Tensor<T>& erf);

/// Computes  y = (x/2) (1 + tanh(v/2)) = x / (1 + exp(-v)), v = 2 sqrt(2/pi) (x + 0.044715 x^3)
/// Error     through exp(-|v|): nothing cancels
template <numeric::Real T>
Tensor<T> gelu_tanh(const Tensor<T>& x);
/// Computes  grad_x = grad_y (gate + x gate'), gate = 1 / (1 + exp(-v))
template <numeric::Real T>
Tensor<T> gelu_tanh_backward(const Tensor<T>& grad_y, const Tensor<T>& x);

/// Computes  y = x s, s = 1 / (1 + exp(-x))
/// Error     through exp(-|x|): nothing overflows or cancels
template <numeric::Real T>
Tensor<T> silu(const Tensor<T>& x);
/// Computes  grad_x = grad_y (s + x s')
template <numeric::Real T>
Tensor<T> silu_backward(const Tensor<T>& grad_y, const Tensor<T>& x);

}  // namespace normproof::ref::ops
