#pragma once

#include "ref/ops/activation.hpp"

/// Gated activations, element by element: the activation of x is multiplied by another operand,
/// `gate`. Both functions share:
///
/// Source    docs/specification/activations.md; [Sha20]
/// Shapes    x, gate, y, grad_y, grad_x, grad_gate have the same shape, which may be any
/// Requires  (C1) gate and grad_y have the shape of x  (C2) every element is finite
///           (C3) grad_y gate does not overflow
/// Order     the activation and its backward are those of activation.hpp, followed by one product
/// Error     docs/error_analysis.md, section 1: the scalar running_error
/// Throws    ContractError naming function, argument, index and expectation
namespace normproof::ref::ops {

template <class T>
struct GatedGradients {
  Tensor<T> x, gate;
};

/// Returns SwiGLU, which activates by SiLU.
/// Computes  y = silu(x) gate
template <numeric::Real T>
Tensor<T> swiglu(const Tensor<T>& x, const Tensor<T>& gate);
/// Returns the gradients of swiglu.
/// Computes  grad_x = silu_backward(grad_y gate, x), grad_gate = grad_y silu(x)
template <numeric::Real T>
GatedGradients<T> swiglu_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                  const Tensor<T>& gate);

/// Returns GeGLU, which activates by the exact GELU.
/// Computes  y = gelu(x) gate
template <numeric::Real T>
Tensor<T> geglu(const Tensor<T>& x, const Tensor<T>& gate);
/// Returns the gradients of geglu.
/// Computes  grad_x = gelu_backward(grad_y gate, x), grad_gate = grad_y gelu(x)
template <numeric::Real T>
GatedGradients<T> geglu_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                 const Tensor<T>& gate);

}  // namespace normproof::ref::ops
