#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace normproof::verification::checks::statistics {

/// The stability of nu in PowerNorm's backward, which computes nu (1 - theta) + ... with theta = (1
/// - alpha_backward) Gamma per channel: a convex combination for theta <= 1, a growing oscillation
/// for theta >= 2.
enum class Stability { stable, warning, error };

/// Returns "stable", "warning" or "error".
std::string_view to_string(Stability stability);

struct StabilityReport {
  Stability stability = Stability::stable;
  double max_theta = 0;
  std::size_t steps_above_one = 0;
  std::size_t first_above_one = 0;  ///< step, counted from 1; 0 = none
  /// The second of the first two consecutive steps with theta >= 2; 0 = none.
  std::size_t first_error = 0;
};

/// Judges the thetas of a run.
///
/// Source    T4' and T4'' of docs/derivations: nu is bounded for theta <= 1, and for theta < 2 by a
///           bound that depends on theta / (2 - theta)
/// Computes  warning if some theta is not <= 1; error if two consecutive ones are not < 2. NaN
///           counts as both
/// Shapes    max_theta: one value per step, the maximum over the channels
StabilityReport judge_stability(std::span<const double> max_theta);

}  // namespace normproof::verification::checks::statistics
