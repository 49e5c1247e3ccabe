#pragma once

#include <string>

#include "verification/cli/report.hpp"

namespace normproof::verification::cli {

/// The verdicts as JUnit XML: one test case a claim, and one a scenario of the statistics that
/// decides; a `failure` where one is not as expected, an `error` where a check itself failed. No
/// times.
std::string junit_report(const Report& report);

}  // namespace normproof::verification::cli
