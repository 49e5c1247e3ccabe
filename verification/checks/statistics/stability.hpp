#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace normproof::verification::checks::statistics {

/// The backward of PowerNorm moves nu by nu (1 - theta) + ..., theta = (1 - alpha_backward) Gamma
/// per channel: a convex combination for theta <= 1, a growing oscillation for theta >= 2.
enum class Stability { stable, warning, error };

/// "stable", "warning", "error"
std::string_view to_string(Stability stability);

struct StabilityReport {
  Stability stability = Stability::stable;
  double max_theta = 0;
  std::size_t steps_above_one = 0;
  std::size_t first_above_one = 0;  ///< step, counted from 1; 0 = none
  std::size_t first_error = 0;      ///< the second of the first two steps in a row at 2 or more
};

/// Source    T4' and T4'' of docs/derivations: nu is bounded for theta <= 1, and up to 2 by
///           theta / (2 - theta)
/// Computes  warning where some theta is not <= 1; error where two in a row are not < 2. NaN is
///           both.
/// Shapes    max_theta: one value a step, the largest over the channels
StabilityReport judge_stability(std::span<const double> max_theta);

}  // namespace normproof::verification::checks::statistics
