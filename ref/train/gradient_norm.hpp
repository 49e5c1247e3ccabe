#pragma once

#include <optional>

#include "ref/train/gradients.hpp"

namespace normproof::ref::train {

template <class T>
struct GradientNorms {
  /// The name and the norm of each tensor: first the dense gradients, then the row gradients.
  std::vector<std::pair<std::string, T>> per_tensor;
  T whole{};
};

/// Returns the L2 norm of each gradient, and the L2 norm of all gradients as one vector.
/// Source    docs/specification/training.md
/// Computes  s_k = sum_i g_ki^2 over the elements i of tensor k ; norm_k = sqrt(s_k) ;
///           whole = sqrt(s_1 + s_2 + ...), added from left to right. Without gradients, whole is 0
/// Shapes    a gradient may have any shape; of a row gradient, the values [R,D] are used
/// Requires  (C1) elements are finite and small enough that the sums of their squares are finite
/// Order     docs/specification/determinism.md, rule R2 within a tensor; for a row gradient, only
///           over the rows that it stores. The sums of the tensors are added in ascending order
/// Error     docs/error_analysis.md, section 1: the bound that the scalar type running_error
///           computes. Squares below 2^-1074 are 0, and so is a norm below about 2^-537
/// Throws    ContractError that names the tensor
template <numeric::Real T>
GradientNorms<T> gradient_norms(const Gradients<T>& gradients);

/// If max_norm is given and the norm of all gradients exceeds it, scales the gradients down to this
/// norm.
/// Computes  g = g (max_norm / whole) for every element if max_norm is given and whole > max_norm
/// Requires  (C1) of gradient_norms  (C2) max_norm is finite and > 0
/// Order     rule R4: the quotient is rounded once, then every product
/// Returns   the norms before clipping
/// Throws    ContractError, before anything is changed
template <numeric::Real T>
GradientNorms<T> clip_gradients(Gradients<T>& gradients, std::optional<double> max_norm);

}  // namespace normproof::ref::train
