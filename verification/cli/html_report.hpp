#pragma once

#include <string>

#include "verification/cli/report.hpp"

namespace normproof::verification::cli {

/// The report as one HTML file that needs nothing else: style and pictures inside, no script. Fits
/// a phone, a screen and paper; the evidence of each claim unfolds.
std::string html_report(const Report& report);

}  // namespace normproof::verification::cli
