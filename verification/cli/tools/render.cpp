#include "verification/cli/tools/render.hpp"

#include "ref/io/atomic_file.hpp"
#include "verification/cli/options.hpp"
#include "verification/cli/tools/document_reader.hpp"

namespace normproof::verification::cli::tools {

void RenderCommand::add(CLI::App& app) {
  require(add_file_option(app, "--document", source,
                          "The document, {\"title\": ..., \"parts\": [...]}"));
  reports.add(app);
  set_footer(
      app,
      R"(Programs in other languages, such as verification/interop/board, write their reports with it. Each
part of FILE has one of these keys ("level", "align", "tone", "notes" and "folded" are optional):
  {"heading": TEXT, "level": 1}  {"paragraph": TEXT}  {"list": [TEXT, ...]}  {"code": TEXT}
  {"table": CAPTION, "columns": [{"name": TEXT}, ...], "rows": [{"cells": [TEXT, ...]}, ...]}

Examples:
  normproof render --document board.json
  normproof render --document board.json --markdown board.md --html board.html)");
}

std::vector<NamedFile> RenderCommand::inputs() const {
  return {{"--document", source}};
}

Output RenderCommand::run() const {
  return {.document = read_document(source.string(), ref::io::read_text(source))};
}

}  // namespace normproof::verification::cli::tools
