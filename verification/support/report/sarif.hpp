#pragma once

#include <string>

#include "verification/support/report/checks.hpp"

namespace normproof::verification::support::report {

/// Renders the checks as a SARIF file.
///
/// Source    SARIF 2.1.0, OASIS Standard
/// Computes  one run. It has one result per finding that has a rule. The kind of the result is
///           "fail" if the check failed and "notApplicable" if it was skipped. Checks that passed
///           have no result
std::string sarif(const Checks& checks);

}  // namespace normproof::verification::support::report
