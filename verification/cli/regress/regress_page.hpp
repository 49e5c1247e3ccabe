#pragma once

#include <string>

#include "verification/cli/regress/regress_report.hpp"
#include "verification/support/report/document.hpp"

namespace normproof::verification::cli::regress {

/// The error of each layer over the history with pictures, the outputs that moved between the two
/// recordings, and every recording.
support::report::Document regress_document(const RegressReport& report);

/// gnuplot's script of its pictures: a statistic of the error, a curve a layer, a place a
/// recording.
std::string error_script(const RegressReport& report, const char* title,
                         double checks::regression::ErrorStatistics::*statistic);

}  // namespace normproof::verification::cli::regress
