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
      "Ask an implementation for every case, and keep the fingerprints of its answers";

  std::filesystem::path golden = {}, history = {};
  std::optional<std::filesystem::path> candidate = {};
  std::optional<std::string> pipe = {};  ///< a command for sh
  bool self = false;                     ///< this program answers
  double timeout = 60;                   ///< seconds that the command may take for one answer
  std::string label = {};
  verification::golden::corpus::PathGlobs only = {};
  int jobs = processor_count();

  void add(CLI::App& app);

  /// Asks a candidate for every case and adds a line to the history.
  /// Returns   kSuccess where every case was answered
  /// Throws    UsageError, FileError; also where no case was answered: then nothing is added
  Output run() const;
};

}  // namespace normproof::verification::cli::regress
