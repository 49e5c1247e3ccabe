#pragma once

#include <string>

#include "verification/support/report/checks.hpp"

namespace normproof::verification::support::report {

/// Renders the checks as a SARIF file.
///
/// Source    SARIF 2.1.0, OASIS Standard
/// Computes  one run with one result per finding that has a rule: of the kind "fail" if the check
///           failed, "notApplicable" if it was skipped. Checks that passed are left out
std::string sarif(const Checks& checks);

}  // namespace normproof::verification::support::report
