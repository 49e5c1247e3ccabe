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
#include "ref/numeric/nan_sign.hpp"
#include "verification/golden/reports/repeated_problems.hpp"
#include "verification/golden/reports/sensitivity.hpp"
#include "verification/support/process/lines.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::golden::reports {

using gate::CaseResult;
using gate::TensorResult;
using ref::io::DType;
using support::report::count_text;
using support::report::number_text;
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

/// The worst value of each metric over all cases of one layer, dtype and output.
struct MetricsRow {
  std::size_t cases = 0, failed = 0, compared = 0, elements_with_digits = 0, unjudged = 0;
  double ratio = 0, ulp = 0, absolute = 0, relative = 0, norm_wise = 0;

  void add(const TensorResult& t) {
    ++cases;
    failed += t.passed() ? 0 : 1;
    compared += t.count;
    elements_with_digits += t.elements_with_digits;
    unjudged += t.unverified();
    ratio = std::max(ratio, t.ratio);
    ulp = std::max(ulp, t.max_ulp);
    absolute = std::max(absolute, t.max_absolute);
    relative = std::max(relative, t.max_relative);
    norm_wise = std::max(norm_wise, t.norm_wise);
  }
};

using Key = std::tuple<std::string, std::string, std::string>;

std::map<Key, MetricsRow> collect_metrics(const GoldenReport& report) {
  std::map<Key, MetricsRow> rows;
  for (const CheckedCase& c : report.cases)
    for (const TensorResult& t : c.result.tensors)
      rows[{corpus::case_operation_name(c.result.description.c),
            std::string(ref::io::to_string(c.result.description.c.dtype)), t.name}]
          .add(t);
  return rows;
}

support::report::Table metrics_table(const std::map<Key, MetricsRow>& rows) {
  support::report::Table table = support::report::numbers_table(
      "", {"layer", "dtype", "output"},
      {"cases", "failed", "ratio", "max ulp", "max abs", "max rel", "norm-wise", "not judged"});
  for (const auto& [key, row] : rows) {
    const auto& [layer, dtype, name] = key;
    const auto metric = [](std::size_t elements, double worst) {
      return elements == 0 ? std::string("-") : number_text(worst);
    };
    table.rows.push_back(
        {{{layer},
          {dtype},
          {name},
          {count_text(row.cases)},
          {count_text(row.failed)},
          {metric(row.compared, row.ratio)},
          {metric(row.elements_with_digits, row.ulp)},
          {metric(row.compared, row.absolute)},
          {metric(row.elements_with_digits, row.relative)},
          {metric(row.elements_with_digits, row.norm_wise)},
          {count_text(row.unjudged)}},
         row.failed > 0 ? support::report::Tone::bad : support::report::Tone::plain});
  }
  return table;
}

/// Returns the purpose of the case and a description of each of its failures.
std::vector<std::string> describe_case(const CaseResult& result) {
  std::vector<std::string> lines = {"this case asks: " + result.description.c.why};
  if (!result.problem.empty()) lines.push_back(result.problem);
  for (const TensorResult& t : result.tensors)
    if (!t.passed()) lines.push_back(failure_text(t));
  for (const gate::Diagnosis& diagnosis : result.diagnosis) lines.push_back(diagnosis.sentence());
  return lines;
}

const char* verdict_word(Outcome outcome) {
  switch (outcome) {
    case Outcome::passed:
      return "passed";
    case Outcome::failed:
      return "FAILED";
    case Outcome::xfail:
      return "failed, as listed";
    case Outcome::xpass:
      return "PASSED, though it is listed as failing";
    case Outcome::declined:
      return "declined";
  }
  return "";
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

bool is_failure(Outcome outcome) {
  return outcome == Outcome::failed || outcome == Outcome::xpass;
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

namespace {

/// Returns an element of the output, or its exact value. A number of 16 bits has so few digits that
/// all of them are shown. Then it is plain whether the exact value lies between two such numbers.
std::string element_text(const TensorResult& t, double v) {
  constexpr std::size_t kNarrow = 2;  // bytes
  const double value = ref::numeric::remove_nan_signs(v);
  return t.item_size <= kNarrow ? fmt::format("{}", value) : fmt::format("{:.9g}", value);
}

}  // namespace

std::string failure_text(const TensorResult& t) {
  if (!t.problem.empty()) return fmt::format("{} {}", t.name, t.problem);
  std::string text =
      fmt::format("{} at {}: got {}, exact {}, bound {:.3g} (ratio {}); {} of {} elements", t.name,
                  t.where, element_text(t, t.got), element_text(t, t.exact), t.bound,
                  number_text(t.ratio), count_text(t.failed.size()), count_text(t.count));
  const std::pair<const char*, double> metrics[] = {{"; max abs", t.max_absolute},
                                                    {", max rel", t.max_relative},
                                                    {", max ulp", t.max_ulp},
                                                    {", norm-wise", t.norm_wise}};
  for (const auto& [name, worst] : metrics)
    if (std::isfinite(worst) && worst > 0) text += fmt::format("{} {}", name, number_text(worst));
  if (t.unverified() > 0) text += fmt::format("; {} not judged", count_text(t.unverified()));
  if (t.input_sensitivity > 0)
    text += fmt::format("; one rounding of the inputs moves {}",
                        t.input_sensitivity < 1
                            ? percent(t.input_sensitivity) + " of the bound"
                            : number_text(t.input_sensitivity) + " times the bound");
  return text;
}

/// Returns the smallest condition number among the failed cases of each layer. A layer is included
/// only if all of its failed cases are ill-conditioned and a well-conditioned case passed.
std::map<std::string, double> min_condition_of_failures(const GoldenReport& report) {
  constexpr double kIllConditionedThreshold = 20;
  std::map<std::string, double> failed, passed;
  for (const CheckedCase& c : report.cases) {
    if (c.outcome == Outcome::declined) continue;
    const bool unanswered = std::ranges::all_of(
        c.result.tensors, [](const TensorResult& t) { return !t.problem.empty(); });
    if (unanswered) continue;
    const double condition = c.result.description.condition;
    auto& minima = c.outcome == Outcome::failed ? failed : passed;
    const auto [entry, fresh] =
        minima.emplace(corpus::case_operation_name(c.result.description.c), condition);
    if (!fresh) entry->second = std::min(entry->second, condition);
  }
  std::erase_if(failed, [&](const auto& entry) {
    return entry.second < kIllConditionedThreshold || !passed.contains(entry.first) ||
           passed[entry.first] >= kIllConditionedThreshold;
  });
  return failed;
}

std::vector<std::string> diagnosis_lines(const GoldenReport& report) {
  struct Agreement {
    std::size_t cases = 0, outputs = 0;
    auto operator<=>(const Agreement&) const = default;
  };
  std::map<std::string, std::map<std::string, Agreement>> agreeing;  // by layer and explanation
  std::map<std::string, std::size_t> failed;
  for (const CheckedCase& c : report.cases) {
    if (c.outcome != Outcome::failed) continue;
    const std::string layer = corpus::case_operation_name(c.result.description.c);
    ++failed[layer];
    for (const gate::Diagnosis& diagnosis : c.result.diagnosis)
      if (diagnosis.kind == gate::Diagnosis::Kind::mistake) {
        Agreement& agreement = agreeing[layer][diagnosis.what];
        ++agreement.cases;
        agreement.outputs += diagnosis.outputs.size();
      }
  }
  std::vector<std::string> lines;
  for (const auto& [layer, condition] : min_condition_of_failures(report)) {
    if (agreeing.contains(layer)) continue;  // the wrong formula says more
    lines.push_back(
        fmt::format("{}: every failure is at a condition number of {} or more, as of one-pass "
                    "variance, E[x^2] - E[x]^2",
                    layer, number_text(condition)));
  }
  for (const auto& [layer, found] : agreeing) {
    const auto best =
        std::ranges::max_element(found, {}, [](const auto& entry) { return entry.second; });
    lines.push_back(fmt::format("{}: '{}' agrees with {} of {}", layer, best->first,
                                count_text(best->second.cases),
                                plural(failed[layer], "failed case")));
  }
  return lines;
}

std::vector<std::string> corpus_lines(const GoldenReport& report) {
  if (!report.corpus) return {};
  const certify::CorpusVersion built = certify::built_corpus_version();
  std::vector<std::string> lines = {fmt::format("corpus {}", report.corpus->text())};
  if (report.corpus->is_older_than(built))
    lines.push_back(
        fmt::format("the corpus is behind that of this program, {}: 'normproof golden make' makes "
                    "the newer one, docs/changelog.md says what is new",
                    built.text()));
  return lines;
}

std::vector<std::string> declined_lines(const GoldenReport& report) {
  struct Declined {
    std::size_t count = 0, of = 0;
    std::string first;  // e.g. "quick/sgd/odd: the device has no optimizers"
  };
  std::map<std::string, Declined> layers;
  for (const CheckedCase& c : report.cases) {
    Declined& layer = layers[corpus::case_operation_name(c.result.description.c)];
    ++layer.of;
    if (c.outcome != Outcome::declined || layer.count++ > 0) continue;
    layer.first = c.result.description.path;
    if (!c.result.problem.empty()) layer.first += ": " + c.result.problem;
  }
  std::vector<std::string> lines;
  for (const auto& [layer, declined] : layers)
    if (declined.count > 0)
      lines.push_back(fmt::format("{}: {} of {} declined: the candidate does not offer {}, {}{}",
                                  layer, count_text(declined.count), plural(declined.of, "case"),
                                  declined.count == 1 ? "it" : "them",
                                  declined.count == 1 ? "" : "such as ", declined.first));
  return lines;
}

std::vector<std::string> note_lines(const GoldenReport& report) {
  // The number of outputs and the description of the first one, by layer.
  std::map<std::string, std::pair<std::size_t, std::string>> layers;
  for (const CheckedCase& c : report.cases)
    for (const TensorResult& t : c.result.tensors) {
      if (t.note.empty()) continue;
      auto& [outputs, first] = layers[corpus::case_operation_name(c.result.description.c)];
      if (outputs++ == 0)
        first = fmt::format("{} of {} {}", t.name, c.result.description.path, t.note);
    }
  std::vector<std::string> lines;
  lines.reserve(layers.size());
  for (const auto& [layer, found] : layers)
    lines.push_back(
        fmt::format("{}: {} judged as stored, with more digits than the dtype of the case has: {}",
                    layer, plural(found.first, "output"), found.second));
  return lines;
}

std::vector<std::string> unasked_lines(const GoldenReport& report) {
  std::map<std::string, std::pair<std::size_t, std::string>> layers;
  for (const CheckedCase& c : report.cases)
    for (const TensorResult& t : c.result.tensors) {
      if (t.unasked == 0) continue;
      auto& [elements, first] = layers[corpus::case_operation_name(c.result.description.c)];
      if (elements == 0) first = fmt::format("{} of {}", t.name, c.result.description.path);
      elements += t.unasked;
    }
  std::vector<std::string> lines;
  lines.reserve(layers.size());
  for (const auto& [layer, found] : layers)
    lines.push_back(
        fmt::format("{}: {} not asked for, because zeros would be within the bounds of any correct "
                    "implementation: {}",
                    layer, plural(found.first, "element"), found.second));
  return lines;
}

bool is_within_input_rounding(const CheckedCase& c) {
  return c.outcome == Outcome::failed && c.result.problem.empty() &&
         std::ranges::all_of(c.result.tensors, [](const TensorResult& t) {
           return t.passed() || (t.problem.empty() && t.ratio <= t.input_sensitivity);
         });
}

namespace {

support::report::Document document_without_verdict(const GoldenReport& report) {
  support::report::Document document{"normproof: " + report.summary()};
  if (const auto rows = collect_metrics(report); !rows.empty()) document.add(metrics_table(rows));
  RepeatedProblems repeated;
  for (const bool within_input_rounding : {false, true})
    for (const CheckedCase& c : report.cases)
      if (is_failure(c.outcome) && is_within_input_rounding(c) == within_input_rounding &&
          !repeated.add(c.result.problem, c.result.description.path))
        document.add(support::report::Problem{verdict_word(c.outcome), c.result.description.path,
                                              describe_case(c.result), c.repro});
  for (const std::string& line : repeated.lines()) document.add(support::report::Paragraph{line});
  for (const auto& lines : {corpus_lines(report), declined_lines(report), unasked_lines(report),
                            note_lines(report), diagnosis_lines(report)})
    for (const std::string& line : lines) document.add(support::report::Paragraph{line});
  return document;
}

}  // namespace

support::report::Document golden_document(const GoldenReport& report) {
  support::report::Document document = document_without_verdict(report);
  document.add(support::report::Paragraph{report.summary(), report.passed()
                                                                ? support::report::Tone::good
                                                                : support::report::Tone::bad});
  return document;
}

support::report::Document golden_job_summary(const GoldenReport& report) {
  support::report::Document document = document_without_verdict(report);
  document.parts.insert(document.parts.begin(), support::report::Heading{3, document.title});
  return document;
}

}  // namespace normproof::verification::golden::reports
