#include <nlohmann/json.hpp>

#include "verification/golden/reports/golden_report.hpp"
#include "verification/golden/reports/report_lines.hpp"
#include "verification/support/report/json_number.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::golden::reports {

using gate::TensorResult;
using nlohmann::ordered_json;
using support::report::clean_line;

namespace {

const char* check_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::passed:
      return "passed";
    case Outcome::failed:
      return "failed";
    case Outcome::xfail:
      return "xfail";
    case Outcome::xpass:
      return "xpass";
    case Outcome::declined:
      return "declined";
  }
  return "";
}

support::report::Outcome check_outcome(Outcome outcome) {
  if (outcome == Outcome::passed) return support::report::Outcome::passed;
  const bool skipped = outcome == Outcome::xfail || outcome == Outcome::declined;
  return skipped ? support::report::Outcome::skipped : support::report::Outcome::failed;
}

ordered_json tensor_json(const TensorResult& t) {
  return {{"name", t.name},
          {"passed", t.passed()},
          {"problem", t.problem},
          {"note", t.note},
          {"count", t.count},
          {"failures", t.failed.size()},
          {"unjudged", t.unverified()},
          {"unasked", t.unasked},
          {"smallest_found_error", support::report::json_number(t.smallest_found_error)},
          {"ratio", support::report::json_number(t.ratio)},
          {"with_digits", t.elements_with_digits},
          {"max_ulp", support::report::json_number(t.max_ulp)},
          {"max_absolute", support::report::json_number(t.max_absolute)},
          {"max_relative", support::report::json_number(t.max_relative)},
          {"norm_wise", support::report::json_number(t.norm_wise)},
          {"where", t.where},
          {"got", support::report::json_number(t.got)},
          {"exact", support::report::json_number(t.exact)},
          {"bound", support::report::json_number(t.bound)},
          {"of_the_inputs", support::report::json_number(t.input_sensitivity)}};
}

/// Returns one finding per failed output, or the problem of the case if nothing was compared.
std::vector<support::report::Finding> make_findings(const CheckedCase& c) {
  const std::string layer = corpus::case_operation_name(c.result.description.c);
  std::vector<support::report::Finding> findings;
  const auto find = [&](const std::string& rule, const std::string& sentence) {
    findings.push_back({layer + "/" + rule, sentence});
  };
  if (c.outcome == Outcome::xfail) findings.push_back({"", "failed, as listed"});
  if (c.outcome == Outcome::xpass)
    find("unexpected-pass", "passed, though it is listed as failing");
  if (c.outcome == Outcome::declined) find("declined", "declined: the candidate does not offer it");
  if (c.outcome != Outcome::failed) return findings;
  if (!c.result.problem.empty()) find("no-answer", c.result.problem);
  for (const TensorResult& t : c.result.tensors)
    if (!t.passed()) find(t.name, failure_text(t));
  return findings;
}

support::report::Check make_check(const CheckedCase& c) {
  const std::string& path = c.result.description.path;
  support::report::Check check{
      .group = "normproof.golden." + corpus::case_operation_name(c.result.description.c),
      .name = path,
      .outcome = check_outcome(c.outcome),
      .verdict = check_name(c.outcome),
      .findings = make_findings(c),
      .repro = c.repro,
      .file = c.file};
  for (const gate::Diagnosis& diagnosis : c.result.diagnosis)
    check.remarks.push_back(diagnosis.sentence());
  check.properties = {{"path", path},
                      {"problem", clean_line(c.result.problem)},
                      {"tensors", ordered_json::array()},
                      {"diagnosis", check.remarks}};
  for (const TensorResult& t : c.result.tensors)
    check.properties["tensors"].push_back(tensor_json(t));
  return check;
}

}  // namespace

support::report::Checks golden_checks(const GoldenReport& report) {
  support::report::CheckSuite suite{"normproof.golden"};
  if (report.corpus) suite.properties = {{"corpus", report.corpus->text()}};
  for (const CheckedCase& c : report.cases) suite.checks.push_back(make_check(c));
  // Without this check, a reader of the file alone would see no failure.
  const auto fail = [&](const char* name) {
    suite.checks.push_back({.group = "normproof.golden",
                            .name = name,
                            .outcome = support::report::Outcome::failed,
                            .findings = {{name, report.summary()}},
                            .properties = {{"path", name}}});
  };
  if (report.judged_case_count() < report.min_cases) fail("min-cases");
  if (report.strict && report.unjudged() > 0) fail("strict");
  return {suite};
}

}  // namespace normproof::verification::golden::reports
