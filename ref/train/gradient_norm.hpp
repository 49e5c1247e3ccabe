#pragma once

#include <optional>

#include "ref/train/gradients.hpp"

namespace normproof::ref::train {

template <class T>
struct GradientNorms {
  /// First the dense tensors, then those of rows.
  std::vector<std::pair<std::string, T>> per_tensor;
  T whole{};
};

/// Returns the L2 norms of the gradients, per tensor and for all of them as one vector.
/// Source    docs/specification/training.md
/// Computes  s_k = sum_i g_ki^2 of tensor k ; norm_k = sqrt(s_k) ;
///           whole = sqrt(s_1 + s_2 + ...), from left to right; 0 without gradients
/// Shapes    any; for a row gradient its values [R,D]
/// Requires  (C1) elements are finite and small enough that the sums of their squares are finite
/// Order     docs/specification/determinism.md, rule R2 within a tensor, over the values of a row
///           gradient without the rows that it omits; then in ascending order
/// Error     docs/error_analysis.md, section 1: the scalar running_error. Squares below
///           2^-1074 are 0, and so is a norm below about 2^-537
/// Throws    ContractError naming the tensor
template <numeric::Real T>
GradientNorms<T> gradient_norms(const Gradients<T>& gradients);

/// Scales the gradients down to the norm max_norm if it is given and exceeded.
/// Computes  g = g (max_norm / whole) for every element if max_norm is given and whole > max_norm
/// Requires  (C1) of gradient_norms  (C2) max_norm is finite and > 0
/// Order     rule R4: the quotient is rounded once, then every product
/// Returns   the norms before clipping
/// Throws    ContractError, before anything is changed
template <numeric::Real T>
GradientNorms<T> clip_gradients(Gradients<T>& gradients, std::optional<double> max_norm);

}  // namespace normproof::ref::train
