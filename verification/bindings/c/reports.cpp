#include <algorithm>
#include <utility>

#include "verification/bindings/c/handle.hpp"
#include "verification/checks/evaluation/operation_tables.hpp"
#include "verification/golden/reports/golden_document.hpp"
#include "verification/golden/reports/golden_page.hpp"
#include "verification/support/report/json_lines.hpp"
#include "verification/support/report/junit.hpp"
#include "verification/support/report/markdown.hpp"
#include "verification/support/report/sarif.hpp"
#include "verification/support/report/terminal.hpp"

// The functions of the C interface that report the verdicts.
namespace golden = normproof::verification::golden;
namespace report = normproof::verification::support::report;
using golden::reports::GoldenReport;
using normproof::ref::numeric::unknown_name;
using normproof::ref::numeric::UsageError;
using normproof::verification::bindings::c::require;

namespace {

std::string fill_placeholders(std::string text, std::string_view what, const std::string& by) {
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

using Writer = std::string (*)(const GoldenReport&);
constexpr std::pair<const char*, Writer> kForms[] = {
    {"html", golden::reports::golden_page},
    {"json", [](const GoldenReport& r) { return report::json_lines(golden_checks(r)); }},
    {"junit", [](const GoldenReport& r) { return report::junit(golden_checks(r)); }},
    {"markdown", [](const GoldenReport& r) { return report::markdown(golden_job_summary(r)); }},
    {"sarif", [](const GoldenReport& r) { return report::sarif(golden_checks(r)); }},
    {"text", [](const GoldenReport& r) { return report::terminal_text(golden_document(r)); }}};

}  // namespace

golden::reports::ReportSettings normproof_corpus::report_settings() const {
  golden::reports::ReportSettings settings = settings_;
  settings.xfail_name = "xfail";
  settings.checks_whole_corpus = all_opened_ && results_.size() == cases_.size();
  if (!repro_.empty())
    settings.repro = [this](const std::string& path, golden::reports::Outcome) {
      return fill_placeholders(repro_, "{path}", path);
    };
  settings.file = [this](const std::string& path) {
    const bool own = path.starts_with("own/");
    return own ? std::string() : (folder_ / path / "case.json").string();
  };
  return settings;
}

GoldenReport normproof_corpus::full_report() const {
  std::vector<golden::gate::CaseResult> results;
  for (const auto& [index, result] : results_) results.push_back(result);
  std::ranges::sort(results, {}, [](const auto& result) { return result.description.path; });
  return golden::reports::golden_report(std::move(results), report_settings());
}

void normproof_corpus::verdict_json(const char** out) {
  require(out != nullptr, "normproof_verdict_json", "out is null; expected where to write");
  require(judged_index_.has_value(), "normproof_verdict_json",
          "no case is judged; expected normproof_judge first");
  golden::reports::ReportSettings settings = report_settings();
  settings.checks_whole_corpus = false;
  report::Checks checks =
      golden_checks(golden::reports::golden_report({results_.at(*judged_index_)}, settings));
  checks.front().checks.resize(1);  // keeps only the checks of single cases
  json_ = report::json_lines(checks);
  json_.pop_back();  // removes the line feed at the end
  *out = json_.c_str();
}

void normproof_corpus::shares(const char* output, std::size_t* count, const double** out) {
  const char* const self = "normproof_shares";
  require(output != nullptr && count != nullptr && out != nullptr, self,
          "output, count or out is null; expected a name and where to write");
  require(selected_ != nullptr && judged_.has_value(), self,
          "the selected case is not judged; expected normproof_judge first");
  const StoredCase& stored = selected_->stored();
  shares_.clear();
  const auto& tensors = results_.at(index_).tensors;
  const auto result = std::ranges::find(tensors, output, &golden::gate::TensorResult::name);
  if (result == tensors.end()) {
    if (golden::corpus::find(stored.expected, output) == nullptr)
      throw UsageError(unknown_name("output", output, stored.description.outputs));
  } else if (result->problem.empty()) {
    shares_ = golden::gate::error_to_bound_ratios(stored, *judged_, output, bounds());
  }
  *count = shares_.size();
  *out = shares_.empty() ? nullptr : shares_.data();
}

void normproof_corpus::report(const char* form, const char** out, std::int32_t* passed) {
  const char* const self = "normproof_report";
  require(form != nullptr && out != nullptr && passed != nullptr, self,
          "form, out or passed is null; expected a name and where to write");
  std::vector<std::string> known;
  for (const auto& [name, writer] : kForms) {
    known.emplace_back(name);
    if (known.back() != form) continue;
    require(!results_.empty(), self, "no case is judged; expected normproof_judge first");
    const GoldenReport all = full_report();
    report_ = writer(all);
    *out = report_.c_str();
    *passed = all.passed() ? 1 : 0;
    return;
  }
  throw UsageError(unknown_name("form", form, known));
}

void normproof_corpus::layers(const char** out) {
  require(out != nullptr, "normproof_layers", "out is null; expected where to write");
  layers_ = normproof::verification::checks::evaluation::operations_json();
  *out = layers_.c_str();
}
