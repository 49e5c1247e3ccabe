#pragma once

#include <string>

#include "verification/golden/reports/golden_report.hpp"

namespace normproof::verification::golden::reports {

/// Renders the report as a single self-contained HTML file. The file shows, in this order: the
/// failure that exceeds its bound most, with a picture of its ratios of error to bound; the metrics
/// of every output; every other failure, with its picture and the command to reproduce it. If there
/// are too many pictures for one page, a sentence says how many are left out.
/// Requires  results with pictures (CheckOptions::maps)
std::string golden_page(const GoldenReport& report);

}  // namespace normproof::verification::golden::reports
