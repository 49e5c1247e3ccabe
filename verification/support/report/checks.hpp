#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

/// What was checked and what came of it, in plain values. JUnit, SARIF and JSON lines are written
/// from these records and from nothing else; who fills them need not escape or clean any text.
namespace normproof::verification::support::report {

/// error: the check itself could not be done.
enum class Outcome { passed, failed, error, skipped };

/// A sentence about a check: what failed, or why it was skipped.
struct Finding {
  std::string rule;  ///< "layer_norm/grad_x": SARIF's rule; empty: SARIF does not tell of it
  std::string sentence;
};

struct Check {
  std::string group;  ///< "normproof.golden.layer_norm": JUnit's classname
  std::string name;
  Outcome outcome = Outcome::passed;
  std::string verdict = {};  ///< the outcome in the command's own word, "xfail"; empty: in ours
  std::vector<Finding> findings = {};
  std::vector<std::string> remarks = {};  ///< whatever else helps to understand the findings
  std::string repro = {};                 ///< the command that does this check again
  std::string file = {};                  ///< where it stands, as a relative address
  std::size_t line = 0;                   ///< 0: the file as a whole
  nlohmann::ordered_json properties = nlohmann::ordered_json::object();  ///< for JSON lines
};

struct CheckSuite {
  std::string name;
  std::vector<Check> checks = {};
  /// What the checks have in common, by name: what they were done with.
  std::vector<std::pair<std::string, std::string>> properties = {};
};

using Checks = std::vector<CheckSuite>;

/// "passed", "failed", "error" or "skipped"
const char* to_string(Outcome outcome);

std::size_t count_checks(const CheckSuite& suite, Outcome outcome);

}  // namespace normproof::verification::support::report
