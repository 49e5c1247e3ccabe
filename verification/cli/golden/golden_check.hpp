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
  std::optional<std::string> pipe = {};  ///< a command for sh
  double timeout = 60;                   ///< maximum seconds for one answer
  std::optional<normproof::gpu::device::Backend> device =
      {};  ///< the candidate is gpu, on this device
  verification::golden::gate::CheckOptions options = {};
  verification::golden::corpus::PathGlobs only = {};
  std::size_t min_cases = 1;
  std::optional<std::filesystem::path> xfail = {};
  std::optional<std::string> corpus_version = {};  ///< the required version of the corpus
  bool strict = false;  ///< whether an element that is not judged is a failure
  int jobs = processor_count();
  ReportOptions reports = {};

  void add(CLI::App& app);
  std::vector<NamedFile> inputs() const;

  /// Checks a candidate against a corpus and prints a table with the failures last, each with the
  /// command that repeats it.
  /// Returns   kSuccess if every case passed, those of the xfail list failed, and there were enough
  ///           cases
  /// Throws    UsageError; FileError, also if the corpus does not have the requested version;
  ///           NoDeviceError
  Output run() const;

  /// Returns how the report presents the cases, given the text of the list of known failures. The
  /// result refers to the command, which must outlive it.
  verification::golden::reports::ReportSettings settings(
      std::string xfail_list,
      std::optional<verification::golden::certify::CorpusVersion> corpus = {}) const;

 private:
  std::vector<verification::golden::gate::CaseResult> check(
      const std::vector<verification::golden::certify::CaseDescription>& cases) const;
  verification::golden::candidate::Candidate source() const;
};

}  // namespace normproof::verification::cli::golden
