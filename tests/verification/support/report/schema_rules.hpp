#pragma once

#include <string>
#include <vector>

/// The rules of the published schemas for the elements and objects that our files contain, restated
/// here. published_schemas validates the program's files against the schemas themselves, if they
/// are installed.
namespace normproof::tests::verification::support::report {

/// Returns one sentence per violation of the JUnit schema, junit-10.xsd of Jenkins' xUnit plug-in,
/// and per suite whose counts differ from its cases.
std::vector<std::string> junit_violations(const std::string& text);

/// Returns one sentence per violation of SARIF 2.1.0, and per result that names a rule missing from
/// the list of rules.
std::vector<std::string> sarif_violations(const std::string& text);

}  // namespace normproof::tests::verification::support::report
