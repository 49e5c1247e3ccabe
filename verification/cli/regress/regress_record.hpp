#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "verification/cli/command.hpp"
#include "verification/cli/shared_options.hpp"
#include "verification/golden/corpus/path_globs.hpp"

namespace normproof::verification::cli::regress {

struct RegressRecordCommand {
  static constexpr const char* name = "record";
  static constexpr const char* summary =
      "Run an implementation on every case, and record its outputs";

  std::filesystem::path golden = {}, history = {};
  std::optional<std::filesystem::path> candidate = {};
  std::optional<std::string> pipe = {};  ///< a command for sh
  bool self = false;                     ///< whether this program is the candidate
  double timeout = 60;                   ///< maximum seconds of the command for one answer
  std::string label = {};
  verification::golden::corpus::PathGlobs only = {};
  int jobs = processor_count();

  void add(CLI::App& app);

  /// Runs a candidate on every case and adds a line to the history.
  /// Returns   kSuccess if every case was answered
  /// Throws    UsageError, FileError; also if no case was answered, in which case nothing is added
  Output run() const;
};

}  // namespace normproof::verification::cli::regress
