#pragma once

#include <filesystem>

#include "verification/cli/command.hpp"
#include "verification/cli/study/study_selection.hpp"

namespace normproof::verification::cli::study {

struct StudyReportCommand {
  static constexpr const char* name = "report";
  static constexpr const char* summary =
      "Write tables, figures and conclusions of the finished cells, beside the published ones";

  WhichStudy study = WhichStudy::published;
  std::filesystem::path out = {};
  bool json = false;

  void add(CLI::App& app);

  /// Writes report.html, and report.md with its pictures, into the folder.
  /// Throws    UsageError, FileError
  Output run() const;
};

}  // namespace normproof::verification::cli::study
