#pragma once

#include "verification/cli/verify/report.hpp"
#include "verification/support/report/checks.hpp"

namespace normproof::verification::cli::verify {

/// Returns the results as checks: one for each claim, one for each layer whose statistics must be
/// stable, one that masked padding has no influence, and one for each item that a checker checked.
support::report::Checks verify_checks(const Report& report);

}  // namespace normproof::verification::cli::verify
