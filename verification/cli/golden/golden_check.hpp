#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gpu/device/device.hpp"
#include "verification/cli/command.hpp"
#include "verification/cli/report_options.hpp"
#include "verification/cli/shared_options.hpp"
#include "verification/golden/corpus/path_globs.hpp"
#include "verification/golden/gate/check.hpp"
#include "verification/golden/reports/golden_report.hpp"

namespace normproof::verification::cli::golden {

struct GoldenCheckCommand {
  static constexpr const char* name = "check";
  static constexpr const char* summary = "Hold an implementation against a corpus";

  std::filesystem::path golden = {};
  std::optional<std::filesystem::path> candidate = {};
  std::optional<std::string> pipe = {};  ///< a command for sh
  double timeout = 60;                   ///< seconds that it may take for one answer
  std::optional<normproof::gpu::device::Backend> device = {};  ///< the candidate is gpu, on that
  verification::golden::gate::CheckOptions options = {};
  verification::golden::corpus::PathGlobs only = {};
  std::size_t min_cases = 1;
  std::optional<std::filesystem::path> xfail = {};
  std::optional<std::string> corpus_version = {};  ///< that the corpus has to be of
  bool strict = false;                             ///< an element that is not judged is a failure
  int jobs = processor_count();
  ReportOptions reports = {};

  void add(CLI::App& app);
  std::vector<NamedFile> inputs() const;

  /// Holds a candidate against a corpus: a table on standard output, the failures last, each with
  /// the line that reproduces it.
  /// Returns   kSuccess where every case passed, those of the xfail list failed, and there were
  ///           enough
  /// Throws    UsageError, FileError; where the corpus is of another version than asked for, too;
  ///           NoDeviceError
  Output run() const;

  /// How its report tells of the cases, for the text of the list of known failures, as long as the
  /// command is there.
  verification::golden::reports::ReportSettings settings(
      std::string xfail_list,
      std::optional<verification::golden::certify::CorpusVersion> corpus = {}) const;

 private:
  std::vector<verification::golden::gate::CaseResult> check(
      const std::vector<verification::golden::certify::CaseDescription>& cases) const;
  verification::golden::gate::Ask source() const;
};

}  // namespace normproof::verification::cli::golden
