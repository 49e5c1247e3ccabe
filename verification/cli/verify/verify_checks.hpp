#pragma once

#include "verification/cli/verify/report.hpp"
#include "verification/support/report/checks.hpp"

namespace normproof::verification::cli::verify {

/// Returns the results as checks. There is one check for each claim, for each layer whose
/// statistics must be stable, and for each item that a checker checked. One more check says that
/// masked padding has no influence.
support::report::Checks verify_checks(const Report& report);

}  // namespace normproof::verification::cli::verify
