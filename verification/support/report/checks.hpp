#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

/// Checks and their outcomes in plain values. The JUnit, SARIF and JSON-lines writers read only
/// these records, and escape and clean every text themselves.
namespace normproof::verification::support::report {

/// The outcome of a check; `error` means that the check itself could not be done.
enum class Outcome { passed, failed, error, skipped };

/// A sentence about a check: what failed, or why it was skipped.
struct Finding {
  std::string rule;  ///< the SARIF rule id, "layer_norm/grad_x"; empty: not reported in SARIF
  std::string sentence;
};

struct Check {
  std::string group;  ///< the JUnit classname, "normproof.golden.layer_norm"
  std::string name;
  Outcome outcome = Outcome::passed;
  /// The command's name of the outcome, such as "xfail"; empty: to_string(outcome).
  std::string verdict = {};
  std::vector<Finding> findings = {};
  std::vector<std::string> remarks = {};  ///< further facts that help to understand the findings
  std::string repro = {};                 ///< the command that repeats this check
  std::string file = {};                  ///< the file checked, as a relative path
  std::size_t line = 0;                   ///< 0: the file as a whole
  /// Extra entries for JSON lines.
  nlohmann::ordered_json properties = nlohmann::ordered_json::object();
};

struct CheckSuite {
  std::string name;
  std::vector<Check> checks = {};
  /// Properties that all checks share, by name, such as the versions they were run with.
  std::vector<std::pair<std::string, std::string>> properties = {};
};

using Checks = std::vector<CheckSuite>;

/// Returns "passed", "failed", "error" or "skipped".
const char* to_string(Outcome outcome);

std::size_t count_checks(const CheckSuite& suite, Outcome outcome);

}  // namespace normproof::verification::support::report
