#pragma once

#include <string>

#include "verification/support/report/checks.hpp"

namespace normproof::verification::support::report {

/// Renders the checks as a JUnit XML file.
///
/// Source    the schema that Jenkins publishes: junit-10.xsd of its xUnit plug-in
/// Computes  one <testsuite> per suite and one <testcase> per check, without times. The message of
///           a failure is its first sentence. The text of a failure is all its sentences, its
///           remarks and the command that repeats the check
std::string junit(const Checks& checks);

}  // namespace normproof::verification::support::report
