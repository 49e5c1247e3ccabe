#pragma once

#include <string>

#include "verification/golden/reports/golden_report.hpp"

namespace normproof::verification::golden::reports {

/// Renders the report as a single self-contained HTML file: the failure that exceeds its bound
/// most, with the map of its ratios of error to bound; the metrics of every output; and every other
/// failure with its command to reproduce it and its map. If there are more maps than a page can
/// hold, a sentence says how many are left out.
/// Requires  results with maps (CheckOptions::maps), for the pictures
std::string golden_page(const GoldenReport& report);

}  // namespace normproof::verification::golden::reports
