#pragma once

#include "verification/cli/command.hpp"
#include "verification/cli/report_options.hpp"
#include "verification/cli/shared_options.hpp"
#include "verification/golden/gate/detection_power.hpp"

namespace normproof::verification::cli::golden {

struct GoldenDetectionPowerCommand {
  static constexpr const char* name = "power";
  static constexpr const char* summary =
      "Measure how many wrong implementations the corpus rejects";

  verification::golden::gate::DetectionPowerOptions options = {.jobs = processor_count()};
  bool museum = false;
  ReportOptions reports = {};

  void add(CLI::App& app);

  /// Prints the mutation score of a tier: for each layer, the fraction of implementations with an
  /// injected error that the gate rejects. Also prints each correct implementation that the gate
  /// rejects (a false alarm), and explains each wrong implementation that the gate accepts.
  /// Returns   kSuccess if every implementation with an injected error was rejected, and no correct
  ///           implementation was rejected
  Output run() const;

 private:
  /// Prints which publicly known bugs the corpus finds.
  /// Returns   kSuccess if the corpus finds all these bugs
  Output report_known_bugs() const;
};

}  // namespace normproof::verification::cli::golden
