#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "verification/cli/output_files.hpp"

namespace CLI {
class App;
}

namespace normproof::verification::cli {

/// The files that a command writes its report to. A command that has a report has one member of
/// this type, `reports`, and gets every form from it.
struct ReportOptions {
  ReportOptions();

  /// The file of each of report_forms(), in their order. Absent if its option is not given.
  std::vector<std::optional<std::filesystem::path>> files;
  bool json_on_stdout = false;  ///< standard output gets JSON in place of the text

  /// Adds the option of each form.
  void add(CLI::App& app);

  /// Adds them with --json as a flag, which prints JSON on standard output.
  void add_with_json_flag(CLI::App& app);

  /// Returns the file of one of report_forms(), by its option.
  /// Throws    std::out_of_range if no form has that option
  std::optional<std::filesystem::path>& file(std::string_view option);
  const std::optional<std::filesystem::path>& file(std::string_view option) const;

  /// Returns all of them with their options.
  std::vector<NamedFile> named() const;
};

}  // namespace normproof::verification::cli
