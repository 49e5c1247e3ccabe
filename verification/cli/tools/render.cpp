#include "verification/cli/tools/render.hpp"

#include "ref/io/atomic_file.hpp"
#include "verification/cli/options.hpp"
#include "verification/cli/output_files.hpp"
#include "verification/cli/standard_streams.hpp"
#include "verification/cli/tools/document_reader.hpp"
#include "verification/support/report/html.hpp"
#include "verification/support/report/markdown.hpp"
#include "verification/support/report/terminal.hpp"

namespace normproof::verification::cli::tools {

void RenderCommand::add(CLI::App& app) {
  require(add_file(app, "--document", source, "The document, {\"title\": ..., \"parts\": [...]}"));
  reports.add(app, {ReportForm::html, ReportForm::markdown});
  set_footer(
      app,
      R"(Programs in other languages have their reports written by it, verification/interop/board for
one. Each part of FILE has one of these keys ("level", "align", "tone", "notes", "folded" say more):
  {"heading": TEXT, "level": 1}  {"paragraph": TEXT}  {"list": [TEXT, ...]}  {"code": TEXT}
  {"table": CAPTION, "columns": [{"name": TEXT}, ...], "rows": [{"cells": [TEXT, ...]}, ...]}

Examples:
  normproof render --document board.json
  normproof render --document board.json --markdown board.md --html board.html)");
}

ExitStatus RenderCommand::run() const {
  check_outputs({{"--document", source}}, reports.named());
  const support::report::Document document =
      read_document(source.string(), ref::io::read_text(source));
  write_all({[&] { write_stdout(support::report::terminal_text(document)); },
             to_file(reports.html, [&] { return support::report::html(document); }),
             to_file(reports.markdown, [&] { return support::report::markdown(document); })});
  return kSuccess;
}

}  // namespace normproof::verification::cli::tools
