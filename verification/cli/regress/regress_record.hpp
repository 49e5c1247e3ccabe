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
  std::optional<std::string> pipe = {};  ///< shell command that starts the candidate
  bool self = false;                     ///< whether the candidate is this program
  double timeout = 60;                   ///< maximum seconds for the output of one case
  std::string label = {};
  verification::golden::corpus::PathGlobs only = {};
  int jobs = processor_count();

  void add(CLI::App& app);

  /// Runs a candidate on every case, and adds a recording of its results to the history.
  /// Returns   kSuccess if the candidate computed every case
  /// Throws    UsageError; FileError, for example if the candidate computed no case. After an
  ///           exception, no recording is added
  Output run() const;
};

}  // namespace normproof::verification::cli::regress
