#include "verification/cli/tools/operations.hpp"

#include "ref/numeric/errors.hpp"
#include "verification/checks/evaluation/operation_tables.hpp"
#include "verification/cli/options.hpp"
#include "verification/cli/shared_options.hpp"

namespace normproof::verification::cli::tools {

void OperationsCommand::add(CLI::App& app) {
  add_json_flag(app, json);
  add_flag(app, "--table", table,
           "Print the layers as a table in Markdown: the one of docs/guide/formats.md");
  check_after_parsing(app, [this] {
    if (json && table)
      throw ref::numeric::UsageError("--json and --table are given; expected one of them");
  });
  set_footer(app,
             R"(docs/guide/formats.md says what the words mean.

Examples:
  normproof operations
  normproof operations --json > operations.json)");
}

Output OperationsCommand::run() const {
  return printed(json    ? checks::evaluation::operations_json()
                 : table ? checks::evaluation::layers_markdown()
                         : checks::evaluation::operations_text());
}

}  // namespace normproof::verification::cli::tools
