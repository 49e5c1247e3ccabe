#include "verification/cli/report_options.hpp"

#include "verification/cli/options.hpp"

namespace normproof::verification::cli {

void ReportOptions::add(CLI::App& app, const std::vector<ReportForm>& forms) {
  for (const ReportForm form : forms) switch (form) {
      case ReportForm::json:
        add_file(app, "--json", json, "Write what was found as JSON");
        break;
      case ReportForm::json_lines:
        add_file(app, "--json", json, "Write what was found as JSON, an object a line");
        break;
      case ReportForm::junit:
        add_file(app, "--junit", junit, "Write the verdicts as JUnit XML");
        break;
      case ReportForm::sarif:
        add_file(app, "--sarif", sarif, "Write the failures as SARIF 2.1.0");
        break;
      case ReportForm::html:
        add_file(app, "--html", html, "Write the report as one HTML file");
        break;
      case ReportForm::markdown:
        add_file(app, "--markdown", markdown, "Write the report as Markdown");
        break;
    }
}

std::vector<NamedFile> ReportOptions::named() const {
  return {{"--json", json},
          {"--junit", junit},
          {"--sarif", sarif},
          {"--html", html},
          {"--markdown", markdown}};
}

}  // namespace normproof::verification::cli
