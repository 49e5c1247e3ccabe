#include "verification/cli/output.hpp"

#include "verification/cli/output_files.hpp"
#include "verification/cli/report_forms.hpp"
#include "verification/cli/report_options.hpp"
#include "verification/cli/standard_streams.hpp"
#include "verification/support/report/terminal.hpp"

namespace normproof::verification::cli {

namespace {

std::string standard_output_text(const Output& output, const ReportOptions& reports) {
  if (reports.json_on_stdout) return json_text(output);
  return output.text ? output.text() : support::report::terminal_text(output.document());
}

}  // namespace

Output printed(std::string text, ExitStatus status) {
  return {.status = status, .text = std::move(text)};
}

void write_output(const Output& output, const ReportOptions& reports) {
  std::vector<std::function<void()>> writers = {
      [&] { write_stdout(standard_output_text(output, reports)); }};
  for (std::size_t i = 0; i < report_forms().size(); ++i)
    writers.push_back(
        to_file(reports.files[i], [&output, i] { return report_forms()[i].text(output); }));
  write_all(writers);
}

}  // namespace normproof::verification::cli
