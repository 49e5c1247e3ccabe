#pragma once

#include <string>

#include "verification/cli/regress/regress_report.hpp"

namespace normproof::verification::cli::regress {

/// The history as one HTML file that needs nothing else: the error of each layer over the
/// recordings, the recordings, and what moved between two of them.
std::string regress_page(const RegressReport& report);

/// gnuplot's script of its pictures: a statistic of the error, a curve a layer, a place a
/// recording.
std::string error_script(const RegressReport& report, const char* title,
                         double checks::regression::ErrorStatistics::*statistic);

}  // namespace normproof::verification::cli::regress
