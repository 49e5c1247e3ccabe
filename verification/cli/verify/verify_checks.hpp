#pragma once

#include "verification/cli/verify/report.hpp"
#include "verification/report/checks.hpp"

namespace normproof::verification::cli::verify {

/// A check for each claim, for each layer whose statistics decide, and for the masked padding.
report::Checks verify_checks(const Report& report);

}  // namespace normproof::verification::cli::verify
