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

/// The files into which a command writes its report. A command that has a report has a member
/// `reports` of this type. This gives the command every report format.
struct ReportOptions {
  ReportOptions();

  /// One file name for each format of report_forms(), in the same order. Absent if the option of
  /// the format is not given.
  std::vector<std::optional<std::filesystem::path>> files;
  bool json_on_stdout = false;  ///< whether standard output is JSON instead of text

  /// Adds one option per report format.
  void add(CLI::App& app);

  /// Adds one option per report format. Here --json takes no file name: it prints JSON on standard
  /// output.
  void add_with_json_flag(CLI::App& app);

  /// Returns the file name of the report format whose option is `option`, such as "--html".
  /// Throws    std::out_of_range if no format has that option
  std::optional<std::filesystem::path>& file(std::string_view option);
  const std::optional<std::filesystem::path>& file(std::string_view option) const;

  /// Returns the options and file names of all report formats.
  std::vector<NamedFile> named() const;
};

}  // namespace normproof::verification::cli
