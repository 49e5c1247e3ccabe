#pragma once

#include <filesystem>
#include <vector>

#include "verification/cli/command.hpp"
#include "verification/cli/report_options.hpp"
#include "verification/cli/shared_options.hpp"
#include "verification/golden/corpus/path_globs.hpp"
#include "verification/golden/reports/sensitivity.hpp"

namespace normproof::verification::cli::golden {

struct GoldenSensitivityCommand {
  static constexpr const char* name = "sensitivity";
  static constexpr const char* summary =
      "Report the smallest error that the cases find, for each operation, dtype and output";

  std::filesystem::path golden = {};
  verification::golden::corpus::PathGlobs only = {};
  int jobs = processor_count();
  ReportOptions reports = {};

  void add(CLI::App& app);
  std::vector<NamedFile> inputs() const;

  /// Prints, for each output, the smallest relative error of all its elements that a case finds,
  /// and the outputs with elements whose bounds accept zeros.
  Output run() const;
};

/// Merges the outputs of models whose names have the same last part, such as "grad_norm1.gamma" and
/// "grad_norm2.gamma", which become "grad_*.gamma". The error of the merged output is the largest
/// of their errors, so that a case finds it in each of them.
std::vector<verification::golden::reports::OutputSensitivity> merge_outputs_of_models(
    const std::vector<verification::golden::reports::OutputSensitivity>& outputs);

}  // namespace normproof::verification::cli::golden
