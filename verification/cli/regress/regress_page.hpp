#pragma once

#include <string>

#include "verification/cli/regress/regress_report.hpp"
#include "verification/support/report/document.hpp"

namespace normproof::verification::cli::regress {

/// Returns the report on a history of recordings: pictures of each layer's error over the history,
/// the outputs that changed between the two compared recordings, and a list of all recordings.
support::report::Document regress_document(const RegressReport& report);

/// Returns the gnuplot script for a picture of one error statistic over the history. It has one
/// curve per layer and one position per recording.
std::string error_script(const RegressReport& report, const char* title,
                         double checks::regression::ErrorStatistics::*statistic);

}  // namespace normproof::verification::cli::regress
