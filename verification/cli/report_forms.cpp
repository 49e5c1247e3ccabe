#include "verification/cli/report_forms.hpp"

#include <variant>

#include "verification/support/report/checks.hpp"
#include "verification/support/report/html.hpp"
#include "verification/support/report/json_document.hpp"
#include "verification/support/report/json_lines.hpp"
#include "verification/support/report/junit.hpp"
#include "verification/support/report/markdown.hpp"
#include "verification/support/report/sarif.hpp"

namespace normproof::verification::cli {

namespace {

namespace report = support::report;

/// Returns the last paragraph of a document, which states the outcome.
std::string closing_text(const report::Document& document) {
  std::string text = document.title;
  for (const report::Part& part : document.parts)
    if (const auto* const paragraph = std::get_if<report::Paragraph>(&part)) text = paragraph->text;
  return text;
}

/// Returns the checks of the command. If it has none, returns one check, which passes if the
/// command succeeded.
report::Checks checks_of_output(const Output& output) {
  if (output.checks) return output.checks();
  const report::Document document = output.document();
  report::Check check{.group = "normproof", .name = document.title};
  if (output.status != kSuccess) {
    check.outcome = report::Outcome::failed;
    check.findings = {{"command", closing_text(document)}};
  }
  return {{"normproof", {check}}};
}

std::string junit_text(const Output& output) {
  return report::junit(checks_of_output(output));
}

std::string sarif_text(const Output& output) {
  return report::sarif(checks_of_output(output));
}

std::string html_text(const Output& output) {
  return output.html ? output.html() : report::html(output.document());
}

std::string markdown_text(const Output& output) {
  return output.markdown ? output.markdown() : report::markdown(output.document());
}

}  // namespace

std::string json_text(const Output& output) {
  if (output.json) return output.json();
  return output.checks ? report::json_lines(output.checks())
                       : report::json_document(output.document());
}

const std::vector<ReportForm>& report_forms() {
  static const std::vector<ReportForm> forms = {
      {"--json", "Write the report as JSON (docs/guide/formats.md)", json_text},
      {"--junit", "Write the verdicts as JUnit XML", junit_text},
      {"--sarif", "Write the failures as SARIF 2.1.0", sarif_text},
      {"--html", "Write the report as one HTML file", html_text},
      {"--markdown", "Write the report as Markdown", markdown_text}};
  return forms;
}

}  // namespace normproof::verification::cli
