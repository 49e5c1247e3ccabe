#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "verification/studies/published/result.hpp"

namespace normproof::verification::studies::published {

/// The gradient norm of a parameter tensor at the initial state, over the seeds: one bar of figures
/// 2 and 3.
struct GradientSpread {
  std::string tensor;
  /// Sample standard deviation, with n - 1; 0 for one cell.
  double mean = 0, standard_deviation = 0;
  std::size_t cells = 0;  ///< number of cells with a finite gradient
};

/// Summarizes the initial gradients of cells.
///
/// Computes  the mean and the sample standard deviation of initial_gradients per tensor, in the
///           order of the cells; cells without them are left out
/// Requires  (C1) every cell that has them has the same tensors
/// Throws    ContractError
std::vector<GradientSpread> gradient_spreads(const std::vector<CellResult>& cells);

}  // namespace normproof::verification::studies::published
