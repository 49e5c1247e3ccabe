#pragma once

#include <string>

#include "verification/golden/reports/golden_report.hpp"

namespace normproof::verification::golden::reports {

/// What was held and what came of it as one HTML file that needs nothing else: the failure farthest
/// beyond its bound with the map of its error over the bound, the metrics of every output, and
/// every other failure with its line to reproduce it and its map; where there are more maps than a
/// page has room for, a sentence says how many it leaves out.
/// Requires  results with maps (CheckOptions), for the pictures
std::string golden_page(const GoldenReport& report);

}  // namespace normproof::verification::golden::reports
