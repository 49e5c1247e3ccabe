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

/// The coverage of each operation by each tier, by the operation's name.
using TierCoverage = std::map<verification::golden::corpus::Tier,
                              std::map<std::string, verification::golden::recipes::Coverage>>;

struct GoldenCoverageCommand {
  static constexpr const char* name = "coverage";
  static constexpr const char* summary =
      "What the cases cover, operation by operation, and what not";

  std::vector<verification::golden::corpus::Tier> tiers = {
      verification::golden::corpus::Tier::quick};
  std::optional<std::filesystem::path> golden = {};
  ReportOptions reports = {};

  void add(CLI::App& app);

  /// Prints the range of every option, extent, dtype and magnitude, and the extreme values that no
  /// case covers.
  ExitStatus run() const;

 private:
  TierCoverage read_coverage() const;
};

}  // namespace normproof::verification::cli::golden
