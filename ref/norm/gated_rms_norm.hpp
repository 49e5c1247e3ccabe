#pragma once

#include "ref/model/operation.hpp"
#include "ref/norm/affine.hpp"

/// RMSNorm of groups of features, multiplied by an activation of a second input, the gate.
namespace normproof::ref::norm {

/// The tensors that gated_rms_norm reads: x and gate [..., D] of the same shape, gamma and beta.
template <class T>
struct GatedRMSNormInputs {
  Tensor<T> x, gate;
  Affine<T> affine = {};
};

/// The gradients that gated_rms_norm_backward returns. grad_gamma and grad_beta are [D]. They are
/// computed even if gamma and beta are empty.
template <class T>
struct GatedRMSNormGradients {
  Tensor<T> x, gate, gamma, beta;
};

/// Applies RMSNorm to each group of features, and multiplies by the activation of the gate.
///
/// Source    docs/specification/norms.md
/// Computes  options.gate_activation decides a(z): z s(z) for silu, s(z) for sigmoid, with
///           s(z) = 1 / (1 + exp(-z)). options.gate_position decides the input v of the norm:
///             after:  v = x,          y = (gamma v_hat + beta) a(gate)
///             before: v = x a(gate),  y = gamma v_hat + beta
///           v_hat = v / sqrt(m + eps), where m is the mean of v^2 over the D / groups consecutive
///           features of the group
/// Shapes    x, gate, y [..., D] of any rank >= 1; gamma, beta [D]
/// Requires  (C1) every extent of x is at least 1, and gate has the shape of x
///           (C2) eps >= 0, and m + eps > 0 in each group of each row
///           (C3) gamma and beta have extent D or are empty
///           (C4) all values are finite and small enough that v, m and y stay finite
///           (C11) groups is at least 1 and divides D
/// Order     docs/specification/determinism.md, R2 and R4
/// Error     docs/error_analysis.md, section 1: the bound that the scalar type running_error
///           computes
/// Throws    ContractError
template <numeric::Real T>
Tensor<T> gated_rms_norm(const GatedRMSNormInputs<T>& in,
                         const model::GatedRMSNormOptions& options = {});

/// Returns the gradients of gated_rms_norm.
/// Computes  t = grad_y a(gate) for gate_position = after, otherwise t = grad_y
///           grad_gamma = sum over rows of t v_hat, grad_beta = sum over rows of t
///           g = gamma t, c is the mean of g v_hat over the features of the group
///           grad_v = (g - v_hat c) / sqrt(m + eps)
///             after:  grad_x = grad_v,         grad_a = grad_y (gamma v_hat + beta)
///             before: grad_x = grad_v a(gate), grad_a = grad_v x
///           grad_gate = grad_a a'(gate)
/// Requires  the conditions of gated_rms_norm, and
///           (C5) grad_y has the shape of x
///           (C7) grad_y is finite and small enough that the gradients stay finite
/// Order     docs/specification/determinism.md, R2: sums over features, and sums over rows
/// Throws    ContractError
template <numeric::Real T>
GatedRMSNormGradients<T> gated_rms_norm_backward(const Tensor<T>& grad_y,
                                                 const GatedRMSNormInputs<T>& in,
                                                 const model::GatedRMSNormOptions& options = {});

}  // namespace normproof::ref::norm
