#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <sstream>

#include "verification/cli/golden_report.hpp"
#include "verification/cli/json_number.hpp"
#include "verification/cli/text.hpp"

namespace normproof::verification::cli {

using golden::gate::TensorResult;
using nlohmann::ordered_json;

namespace {

const char* name_of(Outcome outcome) {
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

ordered_json tensor_json(const TensorResult& t) {
  return {{"name", t.name},
          {"passed", t.passed()},
          {"problem", t.problem},
          {"count", t.count},
          {"failures", t.failures},
          {"unjudged", t.unjudged},
          {"ratio", json_number(t.ratio)},
          {"max_ulp", json_number(t.max_ulp)},
          {"max_absolute", json_number(t.max_absolute)},
          {"max_relative", json_number(t.max_relative)},
          {"norm_wise", json_number(t.norm_wise)},
          {"where", t.where},
          {"got", json_number(t.got)},
          {"exact", json_number(t.exact)},
          {"bound", json_number(t.bound)},
          {"of_the_inputs", json_number(t.of_the_inputs)}};
}

constexpr const char* kDeclined = "declined: the candidate does not offer it";

/// A sentence for each output that failed; the case's own problem where nothing was compared.
std::vector<std::pair<std::string, std::string>> failures_of(const CheckedCase& c) {
  std::vector<std::pair<std::string, std::string>> failures;
  if (c.outcome == Outcome::xpass)
    failures.emplace_back("unexpected-pass", "passed, though it is listed as failing");
  if (c.outcome != Outcome::failed) return failures;
  if (!c.result.problem.empty()) failures.emplace_back("no-answer", clean_line(c.result.problem));
  for (const TensorResult& t : c.result.tensors)
    if (!t.passed()) failures.emplace_back(t.name, failure_text(t));
  return failures;
}

std::vector<std::string> sentences_of(const CheckedCase& c) {
  std::vector<std::string> sentences;
  for (const golden::gate::Diagnosis& diagnosis : c.result.diagnosis)
    sentences.push_back(diagnosis.sentence());
  return sentences;
}

/// Only what failed has a level.
ordered_json sarif_result(const CheckedCase& c, const std::string& rule,
                          const std::string& sentence, const std::string& kind) {
  const std::string& path = c.result.description.path;
  const std::string text =
      fmt::format("{}: {}{}{} (repro: {})", path, sentence, c.result.diagnosis.empty() ? "" : "; ",
                  fmt::join(sentences_of(c), "; "), clean_line(c.repro));
  return {{"ruleId", fmt::format("{}/{}", golden::corpus::op_of(c.result.description.c), rule)},
          {"kind", kind},
          {"level", kind == "fail" ? "error" : "none"},
          {"message", {{"text", text}}},
          {"locations",
           {{{"physicalLocation", {{"artifactLocation", {{"uri", path + "/case.json"}}}}}}}}};
}

std::string dumped(const ordered_json& object, int indent) {
  return object.dump(indent, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string golden_json_lines(const GoldenReport& report) {
  std::string text;
  for (const CheckedCase& c : report.cases) {
    ordered_json object = {{"path", c.result.description.path},
                           {"outcome", name_of(c.outcome)},
                           {"problem", clean_line(c.result.problem)},
                           {"tensors", ordered_json::array()},
                           {"diagnosis", sentences_of(c)},
                           {"repro", clean_line(c.repro)}};
    for (const TensorResult& t : c.result.tensors) object["tensors"].push_back(tensor_json(t));
    text += dumped(object, -1);
  }
  return text;
}

std::string golden_junit(const GoldenReport& report) {
  pugi::xml_document document;
  pugi::xml_node suite = document.append_child("testsuites").append_child("testsuite");
  suite.append_attribute("name") = "normproof.golden";
  const bool too_few = report.held() < report.min_cases;
  suite.append_attribute("tests") = report.cases.size() + (too_few ? 1 : 0);
  suite.append_attribute("failures") =
      report.count(Outcome::failed) + report.count(Outcome::xpass) + (too_few ? 1 : 0);
  suite.append_attribute("skipped") =
      report.count(Outcome::xfail) + report.count(Outcome::declined);
  for (const CheckedCase& c : report.cases) {
    pugi::xml_node test = suite.append_child("testcase");
    const std::string& path = c.result.description.path;
    test.append_attribute("classname") =
        ("normproof.golden." + golden::corpus::op_of(c.result.description.c)).c_str();
    test.append_attribute("name") = path.c_str();
    if (c.outcome == Outcome::xfail)
      test.append_child("skipped").append_attribute("message") = "failed, as listed";
    if (c.outcome == Outcome::declined)
      test.append_child("skipped").append_attribute("message") = kDeclined;
    const auto failures = failures_of(c);
    if (failures.empty()) continue;
    pugi::xml_node failure = test.append_child("failure");
    failure.append_attribute("message") = failures.front().second.c_str();
    std::string text;
    for (const auto& [rule, sentence] : failures) text += sentence + "\n";
    for (const std::string& sentence : sentences_of(c)) text += sentence + "\n";
    failure.text() = (text + "repro: " + clean_line(c.repro)).c_str();
  }
  if (too_few) {  // else a reader of this file alone would see no failure
    pugi::xml_node test = suite.append_child("testcase");
    test.append_attribute("classname") = "normproof.golden";
    test.append_attribute("name") = "min-cases";
    test.append_child("failure").append_attribute("message") = report.summary().c_str();
  }
  std::ostringstream text;
  document.save(text, "  ");
  return text.str();
}

std::string golden_sarif(const GoldenReport& report) {
  ordered_json results = ordered_json::array();
  for (const CheckedCase& c : report.cases) {
    for (const auto& [rule, sentence] : failures_of(c))
      results.push_back(sarif_result(c, rule, sentence, "fail"));
    if (c.outcome == Outcome::declined)
      results.push_back(sarif_result(c, "declined", kDeclined, "notApplicable"));
  }
  const ordered_json sarif = {
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
      {"version", "2.1.0"},
      {"runs",
       {{{"tool", {{"driver", {{"name", "normproof"}, {"rules", ordered_json::array()}}}}},
         {"results", results}}}}};
  return dumped(sarif, 1);
}

}  // namespace normproof::verification::cli
