#pragma once

#include "verification/cli/report.hpp"
#include "verification/report/checks.hpp"

namespace normproof::verification::cli {

/// A check for each claim, for each layer whose statistics decide, and for the masked padding.
report::Checks verify_checks(const Report& report);

}  // namespace normproof::verification::cli
