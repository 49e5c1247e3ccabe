#include "verification/cli/golden/golden_export.hpp"

#include <fmt/format.h>

#include "verification/cli/golden/golden_options.hpp"
#include "verification/cli/typed_options.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::cli::golden {

using support::report::clean_line;
using support::report::plural;

void GoldenExportCommand::add(CLI::App& app) {
  using verification::golden::candidate::ExportFormat;
  add_golden_option(app, golden);
  require(add_choice_option(
      app, "--format", format,
      {{"npz", ExportFormat::npz}, {"onnx", ExportFormat::onnx}, {"text", ExportFormat::text}},
      "npz: NumPy; onnx: test_data_set_0/*.pb; text: one line per case, as --pipe reads it"));
  add_new_folder_option(app, out);
  add_only_option(app, only);
  set_footer(app, R"(Examples:
  normproof golden export --golden golden --format npz --out npz --only '*/layer_norm/*'
  normproof golden export --golden golden --format text --out text)");
}

Output GoldenExportCommand::run() const {
  const verification::golden::candidate::ExportSummary exported =
      verification::golden::candidate::export_corpus(golden, only, format, out);
  return printed(fmt::format(
      "{}: {}{}\n", clean_line(out.string()), plural(exported.cases, "case"),
      exported.left_out == 0
          ? ""
          : fmt::format("; {} left out, because npz has no bfloat16", exported.left_out)));
}

}  // namespace normproof::verification::cli::golden
