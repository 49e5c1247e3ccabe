#pragma once

#include <string>
#include <vector>

/// What the published schemas say of the elements and objects that our files hold, in our words.
/// The schemas themselves are held against the program's files by published_schemas, where they
/// are.
namespace normproof::tests::verification::support::report {

/// A sentence for each place at which the text is no JUnit file: junit-10.xsd of Jenkins' xUnit
/// plug-in; and where the counts of a suite are not those of its cases.
std::vector<std::string> junit_violations(const std::string& text);

/// A sentence for each place at which the text is no SARIF 2.1.0, and where a result names a rule
/// that is not among the rules.
std::vector<std::string> sarif_violations(const std::string& text);

}  // namespace normproof::tests::verification::support::report
