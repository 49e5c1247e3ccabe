#include "verification/golden/reports/golden_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "ref/io/file_failure.hpp"
#include "verification/golden/reports/sensitivity.hpp"
#include "verification/support/process/lines.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::golden::reports {

using gate::CaseResult;
using gate::TensorResult;
using ref::io::DType;
using support::report::count_text;
using support::report::percent;
using support::report::plural;

namespace {

struct Pattern {
  std::string glob;
  std::size_t line;
  bool matched = false;
};

std::vector<Pattern> parse_patterns(const std::string& list) {
  std::vector<Pattern> patterns;
  for (const support::process::Line& line : support::process::split_lines(list)) {
    const std::string_view text = line.text.substr(0, line.text.find('#'));
    const std::size_t begin = text.find_first_not_of(" \t\r"), end = text.find_last_not_of(" \t\r");
    if (begin != std::string_view::npos)
      patterns.push_back({std::string(text.substr(begin, end - begin + 1)), line.number});
  }
  return patterns;
}

Outcome find_outcome(const CaseResult& result, bool listed) {
  if (result.declined) return Outcome::declined;
  if (listed) return result.passed() ? Outcome::xpass : Outcome::xfail;
  return result.passed() ? Outcome::passed : Outcome::failed;
}

/// Whether the case passes although nothing, or nothing of y, was verified.
bool is_wholly_unjudged(const CaseResult& result) {
  const auto judged = [](const TensorResult& t) { return t.count > 0 || !t.problem.empty(); };
  const auto is_unjudged = [&](const TensorResult& t) { return !judged(t) && t.unverified() > 0; };
  const bool nothing_is_judged = std::ranges::none_of(result.tensors, judged) &&
                                 std::ranges::any_of(result.tensors, is_unjudged);
  const bool y_is_not_judged = std::ranges::any_of(
      result.tensors, [&](const TensorResult& t) { return t.name == "y" && is_unjudged(t); });
  return result.passed() && (nothing_is_judged || y_is_not_judged);
}

}  // namespace

std::size_t GoldenReport::count(Outcome outcome) const {
  return static_cast<std::size_t>(std::ranges::count(cases, outcome, &CheckedCase::outcome));
}

std::size_t GoldenReport::judged_case_count() const {
  return static_cast<std::size_t>(std::ranges::count_if(cases, [](const CheckedCase& c) {
    return c.outcome != Outcome::declined && !is_wholly_unjudged(c.result);
  }));
}

std::size_t GoldenReport::unjudged() const {
  std::size_t elements = 0;
  for (const CheckedCase& c : cases)
    for (const TensorResult& t : c.result.tensors) elements += t.unverified();
  return elements;
}

std::optional<WidestBound> GoldenReport::widest_bound() const {
  Sensitivity sensitivity;
  for (const CheckedCase& c : cases) sensitivity.add(c.result);
  std::optional<WidestBound> widest;
  for (const OutputSensitivity& output : sensitivity.outputs()) {
    const double error = output.smallest_found_error;
    constexpr double kWeak = 0.01, kWeakInUnitRoundoffs = 8;
    const double weak = std::max(kWeak, kWeakInUnitRoundoffs * corpus::unit_roundoff(output.dtype));
    if (!std::isfinite(error) || error <= weak) continue;
    if (!widest || error > widest->smallest_found_error)
      widest = WidestBound{output.operation, output.dtype, output.output, error};
  }
  return widest;
}

bool GoldenReport::passed() const {
  return judged_case_count() >= min_cases && !(strict && unjudged() > 0) &&
         std::ranges::none_of(cases, is_failure, &CheckedCase::outcome);
}

std::string GoldenReport::summary() const {
  const std::optional<WidestBound> widest = widest_bound();
  const char* const verdict = !passed()        ? "FAILED"
                              : unjudged() > 0 ? "PASSED where it is judged"
                              : widest         ? "PASSED, weakly"
                                               : "PASSED";
  std::string line = fmt::format("{}: {} of {} passed", verdict, count_text(count(Outcome::passed)),
                                 plural(cases.size(), "case"));
  if (const std::size_t n = count(Outcome::failed); n > 0)
    line += fmt::format(", {} failed", count_text(n));
  if (const std::size_t n = count(Outcome::xfail); n > 0)
    line += fmt::format(", {} failed as listed", count_text(n));
  if (const std::size_t n = count(Outcome::xpass); n > 0)
    line += fmt::format(", {} passed though listed as failing", count_text(n));
  if (const std::size_t n = count(Outcome::declined); n > 0)
    line += fmt::format(", {} declined", count_text(n));
  if (const std::size_t n = unjudged(); n > 0)
    line += fmt::format("; {} not verified, because their bounds accept zeros{}",
                        plural(n, "element"), strict ? ", expected none" : " (--strict fails)");
  if (widest && passed())
    line += fmt::format(
        "; an error of {} in {} of {} in {} would pass{}", percent(widest->smallest_found_error),
        widest->output, widest->operation, ref::io::to_string(widest->dtype),
        widest->dtype == DType::float64 ? "" : "; the bounds of float64 are smaller");
  if (judged_case_count() < min_cases)
    line +=
        fmt::format("; expected {} or more{}", plural(min_cases, "case"),
                    judged_case_count() < cases.size() ? " in which something is verified" : "");
  return line;
}

GoldenReport golden_report(std::vector<CaseResult> results, const ReportSettings& settings) {
  std::vector<Pattern> patterns = parse_patterns(settings.xfail);
  GoldenReport report{{}, settings.min_cases, settings.strict, settings.corpus};
  for (CaseResult& result : results) {
    const std::string path = result.description.path;
    bool listed = false;
    for (Pattern& pattern : patterns) {
      if (fnmatch(pattern.glob.c_str(), path.c_str(), 0) != 0) continue;
      pattern.matched = listed = true;
    }
    const Outcome outcome = find_outcome(result, listed);
    const std::string repro = settings.repro ? settings.repro(path, outcome) : std::string();
    const std::string file = settings.file ? settings.file(path) : std::string();
    report.cases.push_back({std::move(result), outcome, repro, file});
  }
  for (const Pattern& pattern : patterns)
    if (!pattern.matched && settings.checks_whole_corpus)
      ref::io::file_failure(settings.xfail_name, fmt::format("line {}", pattern.line),
                            fmt::format("is '{}', which no case matches", pattern.glob),
                            "a path of the corpus, or a glob");
  return report;
}

}  // namespace normproof::verification::golden::reports
