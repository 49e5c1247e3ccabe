#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "verification/cli/output_files.hpp"

namespace CLI {
class App;
}

namespace normproof::verification::cli {

/// What a report can be written as: `json_lines` is --json too, an object a line.
enum class ReportForm { json, json_lines, junit, sarif, html, markdown };

/// The files that a command writes its report to, each absent where its option is not given.
struct ReportOptions {
  std::optional<std::filesystem::path> json = {}, junit = {}, sarif = {}, html = {}, markdown = {};

  /// Adds the options of the forms that the command knows.
  void add(CLI::App& app, const std::vector<ReportForm>& forms);

  /// All of them by their options: for check_outputs.
  std::vector<NamedFile> named() const;
};

}  // namespace normproof::verification::cli
