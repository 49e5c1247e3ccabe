#include "verification/cli/tools/layers.hpp"

#include "ref/numeric/errors.hpp"
#include "verification/cli/options.hpp"
#include "verification/cli/shared_options.hpp"
#include "verification/cli/standard_streams.hpp"
#include "verification/operands/layer_tables.hpp"

namespace normproof::verification::cli::tools {

void LayersCommand::add(CLI::App& app) {
  add_json_flag(app, json);
  add_flag(app, "--table", table, "As a table in Markdown: the one of docs/formats.md");
  check_afterwards(app, [this] {
    if (json && table)
      throw ref::numeric::UsageError("--json and --table are given; expected one of them");
  });
  set_footer(app,
             R"(docs/formats.md says what the words mean.

Examples:
  normproof layers
  normproof layers --json > layers.json)");
}

ExitStatus LayersCommand::run() const {
  write_stdout(json    ? operands::layers_json()
               : table ? operands::layers_markdown()
                       : operands::layers_text());
  return kSuccess;
}

}  // namespace normproof::verification::cli::tools
