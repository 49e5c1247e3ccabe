#pragma once

#include <filesystem>

#include "verification/cli/command.hpp"
#include "verification/cli/study/study_selection.hpp"

namespace normproof::verification::cli::study {

struct StudyListCommand {
  static constexpr const char* name = "list";
  static constexpr const char* summary = "List the names of the cells";

  StudySelection selection = {};
  bool json = false;

  void add(CLI::App& app);

  /// Prints the names of the selected training runs, one per line.
  /// Throws    UsageError
  Output run() const;
};

}  // namespace normproof::verification::cli::study
