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

/// The exit status if a requested checker needs a program that is not installed. It is 77, the same
/// status as if there is no GPU.
inline constexpr ExitStatus kExitCheckerSkipped = kNoDevice;

struct VerifyCommand {
  static constexpr const char* name = "verify";
  static constexpr const char* summary =
      "Check every claim of the ledger, and measure statistics over batches of sentences";

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

  /// Checks the claims, computes the statistics, writes the requested files, and prints the table
  /// of claims.
  /// Returns   kSuccess if everything is as expected; kExitCheckerSkipped if everything that was
  ///           checked is as expected, but a requested checker could not be run
  /// Throws    UsageError, FileError
  Output run() const;
};

/// Checks the claims and computes the statistics, and returns the results without printing them.
Report make_report(const VerifyCommand& command);

}  // namespace normproof::verification::cli::verify
