#pragma once

#include <optional>

#include "ref/train/gradients.hpp"

namespace normproof::ref::train {

template <class T>
struct GradientNorms {
  std::vector<std::pair<std::string, T>> of_tensors;  ///< the dense ones, then those of rows
  T whole{};
};

/// L2 norms of the gradients, tensor by tensor and as one vector.
/// Source    docs/specification/training.md
/// Computes  s_k = sum_i g_ki^2 of tensor k ; norm_k = sqrt(s_k) ;
///           whole = sqrt(s_1 + s_2 + ...), from left to right; 0 without gradients
/// Shapes    any; of a row gradient its values [R,D]
/// Requires  (C1) elements finite, and so small that the sums of their squares are finite
/// Order     docs/specification/determinism.md, R2 within a tensor, over the values of a row gradient without the
///           rows that it leaves out; then ascending
/// Error     docs/derivations/error_analysis.md, section 1: the scalar running_error. Squares below 2^-1074 are
///           0, so a norm below about 2^-537 is
/// Throws    ContractError naming the tensor
template <numeric::Real T>
GradientNorms<T> gradient_norms(const Gradients<T>& gradients);

/// Computes  g = g (max_norm / whole) for every element where max_norm is given and
///           whole > max_norm
/// Requires  (C1) of gradient_norms  (C2) max_norm > 0 and finite
/// Order     R4: the quotient is rounded once, and then every product
/// Returns   the norms before
/// Throws    ContractError, before anything is changed
template <numeric::Real T>
GradientNorms<T> clip_gradients(Gradients<T>& gradients, std::optional<double> max_norm);

}  // namespace normproof::ref::train
