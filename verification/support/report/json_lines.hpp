#pragma once

#include <string>

#include "verification/support/report/checks.hpp"

namespace normproof::verification::support::report {

/// Renders the checks as JSON lines.
///
/// Computes  one line per check. The line holds one JSON object: the properties of the suite and of
///           the check; "outcome", the word that the command prints; "findings", the sentences; and
///           "repro", if the check has a command that repeats it
std::string json_lines(const Checks& checks);

}  // namespace normproof::verification::support::report
