#include "verification/checks/statistics/stability.hpp"

namespace normproof::verification::checks::statistics {

std::string_view to_string(Stability stability) {
  switch (stability) {
    case Stability::stable:
      return "stable";
    case Stability::warning:
      return "warning";
    case Stability::error:
      break;
  }
  return "error";
}

StabilityReport judge_stability(std::span<const double> max_theta) {
  StabilityReport report;
  bool last_is_high = false;
  for (std::size_t i = 0; i < max_theta.size(); ++i) {
    const double theta = max_theta[i];
    if (report.max_theta <= theta || theta != theta) report.max_theta = theta;
    if (!(theta <= 1)) {
      ++report.steps_above_one;
      if (report.first_above_one == 0) report.first_above_one = i + 1;
    }
    const bool is_high = !(theta < 2);
    if (is_high && last_is_high && report.first_error == 0) report.first_error = i + 1;
    last_is_high = is_high;
  }
  if (report.first_error != 0) {
    report.stability = Stability::error;
  } else if (report.steps_above_one != 0) {
    report.stability = Stability::warning;
  }
  return report;
}

}  // namespace normproof::verification::checks::statistics
