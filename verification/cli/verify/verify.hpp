#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "verification/cli/command.hpp"
#include "verification/cli/corpus.hpp"
#include "verification/cli/report_options.hpp"
#include "verification/cli/shared_options.hpp"
#include "verification/cli/verify/report.hpp"

namespace normproof::verification::cli::verify {

/// What a checker needs that was asked for is not installed: 77, as where there is no device.
inline constexpr ExitStatus kSkipped = kNoDevice;

struct VerifyCommand {
  static constexpr const char* name = "verify";
  static constexpr const char* summary =
      "Check the ledger of claims, and follow the statistics of real batches of sentences";

  std::string claims = "*";
  std::uint64_t seed = 1;
  std::size_t cases = 1000;
  int jobs = processor_count();
  CorpusFiles files = {};
  bool proofs = false;
  bool smt = false;
  bool power = false;
  ReportOptions reports = {};

  void add(CLI::App& app);
  std::vector<NamedFile> inputs() const;

  /// Checks the claims, follows the statistics, writes the files that are asked for and then the
  /// table on standard output.
  /// Returns   kSuccess where everything is as expected; kSkipped where all that was checked is,
  ///           but a checker that was asked for could not be run
  /// Throws    UsageError, FileError
  Output run() const;
};

/// Everything of `run` but the output.
Report make_report(const VerifyCommand& command);

}  // namespace normproof::verification::cli::verify
