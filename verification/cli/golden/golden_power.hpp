#pragma once

#include "verification/cli/command.hpp"
#include "verification/cli/report_options.hpp"
#include "verification/cli/shared_options.hpp"
#include "verification/golden/gate/power.hpp"

namespace normproof::verification::cli::golden {

struct GoldenPowerCommand {
  static constexpr const char* name = "power";
  static constexpr const char* summary =
      "Measure how many wrong implementations the corpus rejects";

  verification::golden::gate::PowerOptions options = {.jobs = processor_count()};
  bool museum = false;
  ReportOptions reports = {};

  void add(CLI::App& app);

  /// Prints the mutation score of a tier by layer, the false alarms, and the survivors, each with
  /// an explanation.
  /// Returns   kSuccess if every faulty mutation was rejected, and no correct implementation
  Output run() const;

 private:
  /// Prints which publicly known bugs are found.
  /// Returns   kSuccess if all are
  Output visit_museum() const;
};

}  // namespace normproof::verification::cli::golden
