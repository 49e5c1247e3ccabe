#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

/// The results of checks as plain values. The writers of JUnit, SARIF and JSON lines read only
/// these structures. They escape all texts themselves.
namespace normproof::verification::support::report {

/// The outcome of a check. `error` means that the check could not be executed.
enum class Outcome { passed, failed, error, skipped };

/// A sentence that says what is wrong, or why a check was skipped.
struct Finding {
  /// The SARIF rule id, such as "layer_norm/grad_x". If it is empty, the SARIF report leaves the
  /// finding out.
  std::string rule;
  std::string sentence;
};

struct Check {
  std::string group;  ///< the classname in JUnit, such as "normproof.golden.layer_norm"
  std::string name;
  Outcome outcome = Outcome::passed;
  /// The word that the command prints for the outcome, such as "xfail". If empty,
  /// to_string(outcome) is printed.
  std::string verdict = {};
  std::vector<Finding> findings = {};
  /// Further sentences that help to understand the findings.
  std::vector<std::string> remarks = {};
  std::string repro = {};  ///< the command that repeats this check
  std::string file = {};   ///< relative path of the checked file
  std::size_t line = 0;    ///< line in the file; 0: the file as a whole
  /// Additional entries of the check's JSON object in JSON lines.
  nlohmann::ordered_json properties = nlohmann::ordered_json::object();
};

struct CheckSuite {
  std::string name;
  std::vector<Check> checks = {};
  /// Names and values that apply to all checks of the suite, such as versions of libraries.
  std::vector<std::pair<std::string, std::string>> properties = {};
};

using Checks = std::vector<CheckSuite>;

/// Returns the name of the outcome: "passed", "failed", "error" or "skipped".
const char* to_string(Outcome outcome);

std::size_t count_checks(const CheckSuite& suite, Outcome outcome);

}  // namespace normproof::verification::support::report
