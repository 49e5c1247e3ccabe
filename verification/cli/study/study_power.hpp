#pragma once

#include <cstddef>
#include <filesystem>

#include "verification/cli/command.hpp"
#include "verification/cli/study/study_selection.hpp"

namespace normproof::verification::cli::study {

struct StudyStatisticalPowerCommand {
  static constexpr const char* name = "power";
  static constexpr const char* summary =
      "Estimate the smallest difference in perplexity and BLEU that the study of language models "
      "can detect";

  WhichStudy study = WhichStudy::language;
  std::filesystem::path out = {};
  std::size_t seeds = 5;
  ReportOptions reports = {};

  void add(CLI::App& app);

  /// Prints the smallest difference from layer_norm that a study with this number of seeds can
  /// detect, with one line per norm and condition. The difference is estimated from the results in
  /// the folder.
  /// Throws    UsageError, FileError
  Output run() const;
};

}  // namespace normproof::verification::cli::study
