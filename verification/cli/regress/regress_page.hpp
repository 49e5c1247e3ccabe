#pragma once

#include <string>

#include "verification/cli/regress/regress_report.hpp"
#include "verification/support/report/document.hpp"

namespace normproof::verification::cli::regress {

/// Returns the error of each layer over the history with pictures, the outputs that changed between
/// the two recordings, and every recording.
support::report::Document regress_document(const RegressReport& report);

/// Returns the gnuplot script of a picture: a statistic of the error, with one curve per layer and
/// one position per recording.
std::string error_script(const RegressReport& report, const char* title,
                         double checks::regression::ErrorStatistics::*statistic);

}  // namespace normproof::verification::cli::regress
