#pragma once

#include <string>
#include <vector>

/// Restates the rules of the published schemas for the elements and objects that our files contain.
/// If the schemas are installed, the script published_schemas validates the program's files against
/// the schemas themselves.
namespace normproof::tests::verification::support::report {

/// Returns one sentence per violation of the JUnit schema, which is junit-10.xsd of Jenkins' xUnit
/// plug-in. Also returns one sentence per suite whose counts differ from its cases.
std::vector<std::string> junit_violations(const std::string& text);

/// Returns one sentence per violation of SARIF 2.1.0. Also returns one sentence per result whose
/// rule is missing from the list of rules.
std::vector<std::string> sarif_violations(const std::string& text);

}  // namespace normproof::tests::verification::support::report
