#pragma once

#include <string>

#include "verification/support/report/checks.hpp"

namespace normproof::verification::support::report {

/// Renders the checks as a JUnit file.
///
/// Source    the schema that Jenkins publishes, junit-10.xsd of its xUnit plug-in
/// Computes  one <testsuite> per suite and one <testcase> per check, without times. A failure has
///           its first sentence as message; its text has every sentence, the remarks and the repro
///           command
std::string junit(const Checks& checks);

}  // namespace normproof::verification::support::report
