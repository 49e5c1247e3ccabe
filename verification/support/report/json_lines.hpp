#pragma once

#include <string>

#include "verification/support/report/checks.hpp"

namespace normproof::verification::support::report {

/// Renders the checks as JSON lines.
///
/// Computes  one object per check and line: the properties of the check and of its suite;
///           "outcome", as the command names it; "findings", the sentences; and "repro", if there
///           is a command
std::string json_lines(const Checks& checks);

}  // namespace normproof::verification::support::report
