#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "verification/cli/command.hpp"
#include "verification/cli/report_options.hpp"
#include "verification/golden/recipes/coverage.hpp"

namespace normproof::verification::cli::golden {

/// The coverage of each operation in each tier. The inner key is the name of the operation.
using TierCoverage = std::map<verification::golden::corpus::Tier,
                              std::map<std::string, verification::golden::recipes::Coverage>>;

struct GoldenCoverageCommand {
  static constexpr const char* name = "coverage";
  static constexpr const char* summary =
      "Report what the cases cover of each operation, and what they do not";

  std::vector<verification::golden::corpus::Tier> tiers = {
      verification::golden::corpus::Tier::quick};
  std::optional<std::filesystem::path> golden = {};
  ReportOptions reports = {};

  void add(CLI::App& app);
  std::vector<NamedFile> inputs() const;

  /// Prints which options, extents, dtypes and magnitudes the cases of each operation cover, and
  /// which extreme values no case covers.
  Output run() const;

 private:
  TierCoverage read_coverage() const;
};

}  // namespace normproof::verification::cli::golden
