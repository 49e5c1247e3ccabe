#pragma once

#include "verification/cli/verify/report.hpp"
#include "verification/support/report/checks.hpp"

namespace normproof::verification::cli::verify {

/// Returns one check for each claim, for each layer whose statistics decide, for the masked
/// padding, and for each thing that a checker checked.
support::report::Checks verify_checks(const Report& report);

}  // namespace normproof::verification::cli::verify
