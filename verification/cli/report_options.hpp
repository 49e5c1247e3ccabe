#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "verification/cli/output_files.hpp"

namespace CLI {
class App;
}

namespace normproof::verification::cli {

/// The forms of a report. `json_lines` also belongs to --json and writes one object per line.
enum class ReportForm { json, json_lines, junit, sarif, html, markdown };

/// The files that a command writes its report to; absent if the option is not given.
struct ReportOptions {
  std::optional<std::filesystem::path> json = {}, junit = {}, sarif = {}, html = {}, markdown = {};

  /// Adds the options of the forms that the command supports.
  void add(CLI::App& app, const std::vector<ReportForm>& forms);

  /// Returns all of them with their options, for check_outputs.
  std::vector<NamedFile> named() const;
};

}  // namespace normproof::verification::cli
