#pragma once

#include <limits>

#include "ref/ops/activation.hpp"

/// Gated activation functions. The activation of x is multiplied by another operand, `gate`,
/// element by element. The following holds for all of them:
///
/// Source    docs/specification/activations.md; [Sha20]
/// Shapes    x, gate, y, grad_y, grad_x and grad_gate have the same shape, which may be any shape
/// Requires  (C1) gate and grad_y have the shape of x  (C2) every element is finite
///           (C3) grad_y gate does not overflow  (C4) limit > 0, alpha is finite and > 0, beta is
///           finite  (C5) the product of alpha and the limited x does not overflow
/// Order     the activation and its backward are computed as in activation.hpp, followed by one
///           product
/// Error     docs/error_analysis.md, section 1: the bound that the scalar type running_error
///           computes
/// Throws    ContractError that names the function, the argument, the index and the expectation
namespace normproof::ref::ops {

template <class T>
struct GatedGradients {
  Tensor<T> x, gate;
};

/// The parameters of swiglu. An infinite limit limits nothing.
struct SwigluParameters {
  double limit = std::numeric_limits<double>::infinity();
  double alpha = 1, beta = 0;

  /// Whether y = silu(x) gate.
  bool are_plain() const {
    return limit == std::numeric_limits<double>::infinity() && alpha == 1 && beta == 0;
  }
};

/// Returns SwiGLU, whose activation function is SiLU.
/// Computes  y = (c sigmoid(alpha c)) (d + beta), where c is min(x, limit), and d is `gate`,
///           limited to the range from -limit to limit; a beta of 0 is not added
template <numeric::Real T>
Tensor<T> swiglu(const Tensor<T>& x, const Tensor<T>& gate,
                 const SwigluParameters& parameters = {});
/// Returns the gradients of swiglu. Beyond the limit they are +0. At the limit they are not.
/// Computes  grad_x = silu_backward(grad_y (d + beta), alpha c),
///           grad_gate = grad_y (c sigmoid(alpha c))
template <numeric::Real T>
GatedGradients<T> swiglu_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                  const Tensor<T>& gate, const SwigluParameters& parameters = {});

/// Returns GeGLU, whose activation function is the exact GELU.
/// Computes  y = gelu(x) gate
template <numeric::Real T>
Tensor<T> geglu(const Tensor<T>& x, const Tensor<T>& gate);
/// Returns the gradients of geglu.
/// Computes  grad_x = gelu_backward(grad_y gate, x), grad_gate = grad_y gelu(x)
template <numeric::Real T>
GatedGradients<T> geglu_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                 const Tensor<T>& gate);

}  // namespace normproof::ref::ops
