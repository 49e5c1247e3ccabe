#include "verification/golden/reports/golden_document.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "verification/golden/reports/repeated_problems.hpp"
#include "verification/golden/reports/report_lines.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::golden::reports {

using gate::CaseResult;
using gate::TensorResult;
using support::report::count_text;
using support::report::number_text;

namespace {

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

bool is_within_input_rounding(const CheckedCase& c) {
  return c.outcome == Outcome::failed && c.result.problem.empty() &&
         std::ranges::all_of(c.result.tensors, [](const TensorResult& t) {
           return t.passed() || (t.problem.empty() && t.ratio <= t.input_sensitivity);
         });
}

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
