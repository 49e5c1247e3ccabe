#pragma once

#include <string>

#include "verification/golden/verdicts/golden_report.hpp"

namespace normproof::verification::golden::verdicts {

/// What was held and what came of it as one HTML file that needs nothing else: the failure farthest
/// beyond its bound with the map of its error over the bound, the metrics of every output, and
/// every other failure with its line to reproduce it.
/// Requires  results with maps (CheckOptions), for the picture
std::string golden_page(const GoldenReport& report);

}  // namespace normproof::verification::golden::verdicts
