#include "verification/cli/regress/regress_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "verification/checks/compare/ulp.hpp"
#include "verification/support/report/json_number.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::cli::regress {

using checks::regression::Direction;
using checks::regression::ErrorStatistics;
using checks::regression::OutputChange;
using checks::regression::Recording;
using nlohmann::ordered_json;
using support::report::clean_line;
using support::report::count_text;
using support::report::number_text;
using support::report::plural;

namespace {

std::string format_steps(std::uint64_t steps) {
  return steps == checks::compare::kInfiniteUlpDistance
             ? "to or from NaN"
             : fmt::format("by up to {} ulp", count_text(steps));
}

std::string change_kind(const OutputChange& movement) {
  return movement.output.empty() ? movement.path
                                 : fmt::format("{} {}", movement.path, movement.output);
}

/// Describes a recording in one line: "from 'v1' (line 1): --self; g++ 12.2.0 ...".
std::string recording_line(const RegressReport& report, const char* role, std::size_t place) {
  const Recording& recording = report.recordings[place];
  std::string text = fmt::format("{:<4} {} (line {}): {}", role,
                                 checks::regression::name_of(report.recordings, place), place + 1,
                                 recording.candidate);
  for (const auto& [name, value] : recording.environment)
    if (name == "compiler" || name == "processor") text += fmt::format("; {} {}", name, value);
  return clean_line(text) + "\n";
}

ordered_json statistics_json(const ErrorStatistics& error) {
  return {{"max_ulp", support::report::json_number(error.max_ulp)},
          {"mean_ulp", support::report::json_number(error.mean_ulp)},
          {"max_share", support::report::json_number(error.max_share)},
          {"mean_share", support::report::json_number(error.mean_share)}};
}

ordered_json recording_json(const RegressReport& report, std::size_t place) {
  const Recording& recording = report.recordings[place];
  ordered_json environment = ordered_json::object();
  for (const auto& [name, value] : recording.environment) environment[name] = value;
  return {{"line", place + 1},
          {"label", recording.label},
          {"candidate", recording.candidate},
          {"environment", environment}};
}

}  // namespace

bool RegressReport::is_allowed(const OutputChange& movement) const {
  return allow_towards && movement.direction == Direction::towards;
}

bool RegressReport::passed() const {
  return std::ranges::all_of(change.movements,
                             [this](const OutputChange& movement) { return is_allowed(movement); });
}

std::string RegressReport::summary() const {
  const std::string names =
      fmt::format("{} -> {}", clean_line(checks::regression::name_of(recordings, from)),
                  clean_line(checks::regression::name_of(recordings, to)));
  const std::string whole =
      fmt::format("{} of {}", plural(change.outputs, "output"), plural(change.cases, "case"));
  if (change.movements.empty()) return fmt::format("SAME {}: {}", names, whole);
  std::uint64_t max_steps = 0;
  for (const OutputChange& movement : change.movements)
    max_steps = std::max(max_steps, movement.max_steps);
  return fmt::format(
      "{} {}: {} in {} of {} moved{}: {} towards the truth, {} away, {} neither{}",
      passed() ? "ALLOWED" : "MOVED", names, plural(change.movements.size(), "output"),
      count_text(change.moved_cases), plural(change.cases, "case"),
      max_steps == 0 ? "" : ", " + format_steps(max_steps), change.count(Direction::towards),
      change.count(Direction::away), change.count(Direction::neither),
      allow_towards && !passed() ? "; only towards is allowed" : "");
}

std::string_view to_string(Direction direction) {
  switch (direction) {
    case Direction::towards:
      return "towards";
    case Direction::away:
      return "away";
    default:
      return "neither";
  }
}

std::string output_change_text(const OutputChange& movement) {
  if (movement.count == 0) return clean_line(movement.what);
  const ErrorStatistics &a = movement.before, &b = movement.after;
  return fmt::format(
      "{}; error at most {} -> {} ulp, mean {} -> {}; share of the bound at most {} -> {}, mean {} "
      "-> {}",
      movement.what.empty() ? fmt::format("{} of {} {}, most at {}", count_text(movement.moved),
                                          plural(movement.count, "element"),
                                          format_steps(movement.max_steps), movement.where)
                            : movement.what,
      number_text(a.max_ulp), number_text(b.max_ulp), number_text(a.mean_ulp),
      number_text(b.mean_ulp), number_text(a.max_share), number_text(b.max_share),
      number_text(a.mean_share), number_text(b.mean_share));
}

std::string regress_text(const RegressReport& report) {
  std::string text = recording_line(report, "from", report.from);
  text += recording_line(report, "to", report.to);
  for (const OutputChange& movement : report.change.movements)
    text += fmt::format("{:<8} {}: {}\n", to_string(movement.direction), change_kind(movement),
                        output_change_text(movement));
  return text + report.summary() + "\n";
}

std::string regress_json(const RegressReport& report) {
  ordered_json stored = {{"passed", report.passed()},
                         {"summary", report.summary()},
                         {"from", recording_json(report, report.from)},
                         {"to", recording_json(report, report.to)},
                         {"cases", report.change.cases},
                         {"outputs", report.change.outputs}};
  stored["movements"] = ordered_json::array();
  for (const OutputChange& movement : report.change.movements) {
    ordered_json entry = {{"path", movement.path},
                          {"output", movement.output},
                          {"direction", to_string(movement.direction)},
                          {"what", movement.what},
                          {"moved", movement.moved},
                          {"count", movement.count}};
    entry["max_ulp"] = movement.max_steps == checks::compare::kInfiniteUlpDistance
                           ? ordered_json("nan")
                           : ordered_json(movement.max_steps);
    entry["where"] = movement.where;
    entry["before"] = statistics_json(movement.before);
    entry["after"] = statistics_json(movement.after);
    stored["movements"].push_back(std::move(entry));
  }
  return stored.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

support::report::Checks regress_checks(const RegressReport& report) {
  support::report::CheckSuite suite{"normproof.regress"};
  suite.checks.push_back(
      {.group = suite.name,
       .name = fmt::format("the other {}",
                           plural(report.change.cases - report.change.moved_cases, "case"))});
  // The changes, with the case as key. An allowed change is not listed.
  std::map<std::string, std::vector<support::report::Finding>> moved;
  for (const OutputChange& movement : report.change.movements) {
    auto& findings = moved[movement.path];
    if (report.is_allowed(movement)) continue;
    const std::string direction(to_string(movement.direction));
    findings.push_back(
        {direction, fmt::format("{}{}{}: {}", movement.output, movement.output.empty() ? "" : " ",
                                direction, output_change_text(movement))});
  }
  for (auto& [path, findings] : moved) {
    const auto outcome =
        findings.empty() ? support::report::Outcome::passed : support::report::Outcome::failed;
    suite.checks.push_back({.group = suite.name,
                            .name = path,
                            .outcome = outcome,
                            .findings = std::move(findings),
                            .file = path + "/case.json"});
  }
  return {suite};
}

}  // namespace normproof::verification::cli::regress
