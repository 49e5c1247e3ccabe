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
#include "verification/golden/candidate/candidate.hpp"
#include "verification/golden/corpus/path_globs.hpp"
#include "verification/golden/gate/check.hpp"
#include "verification/golden/reports/golden_report.hpp"

namespace normproof::verification::cli::golden {

struct GoldenCheckCommand {
  static constexpr const char* name = "check";
  static constexpr const char* summary = "Check an implementation against a corpus";

  std::filesystem::path golden = {};
  std::optional<std::filesystem::path> candidate = {};
  std::optional<std::string> pipe = {};  ///< shell command that starts the candidate
  double timeout = 60;                   ///< maximum seconds for the output of one case
  std::optional<normproof::gpu::device::Backend> device =
      {};  ///< the candidate is this program's GPU code on this device
  verification::golden::gate::CheckOptions options = {};
  verification::golden::corpus::PathGlobs only = {};
  std::size_t min_cases = 1;
  std::optional<std::filesystem::path> xfail = {};
  std::optional<std::string> corpus_version = {};  ///< required version of the corpus
  bool strict = false;  ///< whether an element that was not judged is a failure
  int jobs = processor_count();
  ReportOptions reports = {};

  void add(CLI::App& app);
  std::vector<NamedFile> inputs() const;

  /// Checks a candidate against a corpus, and prints a table of the cases. Failed cases come last,
  /// each with the command that repeats it.
  /// Returns   kSuccess if every case passed, every case of the xfail list failed, and at least
  ///           min_cases cases were judged
  /// Throws    UsageError; FileError, also if the corpus does not have the required version;
  ///           NoDeviceError
  Output run() const;

  /// Returns the settings of the report. `xfail_list` is the text of the list of known failures.
  /// The result refers to this command, which must outlive it.
  verification::golden::reports::ReportSettings settings(
      std::string xfail_list,
      std::optional<verification::golden::certify::CorpusVersion> corpus = {}) const;

 private:
  std::vector<verification::golden::gate::CaseResult> check(
      const std::vector<verification::golden::certify::CaseDescription>& cases) const;
  verification::golden::candidate::Candidate source() const;
};

}  // namespace normproof::verification::cli::golden
