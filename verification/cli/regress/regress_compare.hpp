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
      "Compare two recordings: which outputs changed, by how many ulp, and whether towards the "
      "truth";

  std::filesystem::path history = {};
  /// Names of the two recordings. If `to` is absent, it is the last recording. If `from` is absent,
  /// it is the recording before `to`.
  std::optional<std::string> from = {}, to = {};
  bool allow_towards = false;
  ReportOptions reports = {};

  void add(CLI::App& app);
  std::vector<NamedFile> inputs() const;

  /// Compares two recordings of a candidate's results. Prints which results changed, by how much,
  /// and whether they became more accurate.
  /// Returns   kSuccess if only allowed changes occurred
  /// Throws    UsageError, FileError
  Output run() const;
};

}  // namespace normproof::verification::cli::regress
