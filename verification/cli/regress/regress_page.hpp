#pragma once

#include <string>

#include "verification/cli/regress/regress_report.hpp"

namespace normproof::verification::cli::regress {

/// Returns the history as a self-contained HTML page: the error of each layer over the recordings,
/// the recordings, and the changes between two of them.
std::string regress_page(const RegressReport& report);

/// Returns the gnuplot script of a picture: a statistic of the error, with one curve per layer and
/// one position per recording.
std::string error_script(const RegressReport& report, const char* title,
                         double checks::regression::ErrorStatistics::*statistic);

}  // namespace normproof::verification::cli::regress
