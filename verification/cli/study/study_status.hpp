#pragma once

#include <filesystem>

#include "verification/cli/command.hpp"
#include "verification/cli/shared_options.hpp"
#include "verification/cli/study/study_selection.hpp"

namespace normproof::verification::cli::study {

struct StudyStatusCommand {
  static constexpr const char* name = "status";
  static constexpr const char* summary =
      "Report which cells are done and missing, and the time that is left";

  StudySelection selection = {};
  int jobs = processor_count();
  std::filesystem::path out = {};
  ReportOptions reports = {};

  void add(CLI::App& app);

  /// Prints which of the selected training runs are done and which are missing, and an estimate of
  /// the remaining time.
  /// Throws    UsageError, FileError
  Output run() const;
};

}  // namespace normproof::verification::cli::study
