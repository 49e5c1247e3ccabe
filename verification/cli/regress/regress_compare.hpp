#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "verification/cli/command.hpp"
#include "verification/cli/report_options.hpp"

namespace normproof::verification::cli::regress {

struct RegressCompareCommand {
  static constexpr const char* name = "compare";
  static constexpr const char* summary =
      "What moved between two recordings, by how many ulp, and whether towards the truth";

  std::filesystem::path history = {};
  std::optional<std::string> from = {}, to = {};  ///< absent: the last but one, and the last
  bool allow_towards = false;
  ReportOptions reports = {};

  void add(CLI::App& app);
  std::vector<NamedFile> inputs() const;

  /// Prints what moved between two recordings, by how much, and whether towards the truth.
  /// Returns   kSuccess where nothing moved that is not allowed to
  /// Throws    UsageError, FileError
  Output run() const;
};

}  // namespace normproof::verification::cli::regress
