#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace normproof::verification::checks::statistics {

/// Whether the state nu of PowerNorm's backward is stable. An update multiplies nu by 1 - theta and
/// adds a value of the batch, where theta = (1 - alpha_backward) mean(x_hat^2) per channel. If
/// theta <= 1, the new nu is a convex combination of the old nu and mean(g x_hat) / mean(x_hat^2)
/// of the batch. If theta >= 2, nu oscillates with growing amplitude.
enum class Stability { stable, warning, error };

/// Returns "stable", "warning" or "error".
std::string_view to_string(Stability stability);

struct StabilityReport {
  Stability stability = Stability::stable;
  double max_theta = 0;
  std::size_t steps_above_one = 0;
  std::size_t first_above_one = 0;  ///< the first step (from 1) with theta not <= 1; 0 if none
  /// The first step with theta >= 2 whose previous step also has theta >= 2; 0 if there is none.
  std::size_t first_error = 0;
};

/// Judges a run by its values of theta.
///
/// Source    T4' and T4'' of docs/derivations: nu is bounded if theta <= 1. It is also bounded if
///           theta < 2, but the bound then depends on theta / (2 - theta)
/// Computes  warning if some theta is not <= 1; error if two consecutive values of theta are not <
///           2. A theta that is NaN satisfies both conditions
/// Shapes    max_theta: one value per step, the maximum over the channels
StabilityReport judge_stability(std::span<const double> max_theta);

}  // namespace normproof::verification::checks::statistics
