#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "verification/studies/published/result.hpp"

namespace normproof::verification::studies::published {

/// The gradient norm of a parameter tensor at the initial state, averaged over the seeds. It is one
/// bar of figure 2 or 3.
struct GradientSpread {
  std::string tensor;
  /// The mean and the sample standard deviation, which divides by n - 1. The standard deviation is
  /// 0 for a single training run.
  double mean = 0, standard_deviation = 0;
  std::size_t cells = 0;  ///< number of training runs with a finite gradient
};

/// Summarizes the initial gradients of several training runs.
///
/// Computes  the mean and the sample standard deviation of each entry of initial_gradients, over
///           the training runs in their order. Runs without initial gradients are left out
/// Requires  (C1) all cells with initial gradients have the same tensors
/// Throws    ContractError
std::vector<GradientSpread> gradient_spreads(const std::vector<CellResult>& cells);

}  // namespace normproof::verification::studies::published
