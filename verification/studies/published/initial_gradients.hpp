#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "verification/studies/published/result.hpp"

namespace normproof::verification::studies::published {

/// The gradient norm of a parameter tensor at the initial state, over seeds: a bar of figures 2
/// and 3.
struct GradientSpread {
  std::string tensor;
  double mean = 0, standard_deviation = 0;  ///< of the sample: n - 1; 0 for one cell
  std::size_t cells = 0;                    ///< that have a finite gradient
};

/// Computes  tensor by tensor the mean and the sample standard deviation of initial_gradients, in
///           the order of the cells; a cell without them is left out
/// Requires  (C1) the same tensors in every cell that has them
/// Throws    ContractError
std::vector<GradientSpread> gradient_spreads(const std::vector<CellResult>& cells);

}  // namespace normproof::verification::studies::published
