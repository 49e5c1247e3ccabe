#pragma once

#include <string>

#include "verification/support/report/checks.hpp"

namespace normproof::verification::support::report {

/// Source    SARIF 2.1.0, OASIS Standard
/// Computes  one run. Every finding that has a rule is a result: of the kind "fail" where the check
///           failed, "notApplicable" where it was skipped. What passed is left out
std::string sarif(const Checks& checks);

}  // namespace normproof::verification::support::report
