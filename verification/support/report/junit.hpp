#pragma once

#include <string>

#include "verification/support/report/checks.hpp"

namespace normproof::verification::support::report {

/// Source    the schema that Jenkins publishes, junit-10.xsd of its xUnit plug-in
/// Computes  a <testsuite> a suite and a <testcase> a check, without times. What failed has its
///           first sentence as message; its text holds every sentence, the remarks and the line
///           that reproduces it
std::string junit(const Checks& checks);

}  // namespace normproof::verification::support::report
