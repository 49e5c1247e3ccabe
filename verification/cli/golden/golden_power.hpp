#pragma once

#include "verification/cli/command.hpp"
#include "verification/cli/report_options.hpp"
#include "verification/cli/shared_options.hpp"
#include "verification/golden/gate/power.hpp"

namespace normproof::verification::cli::golden {

struct GoldenPowerCommand {
  static constexpr const char* name = "power";
  static constexpr const char* summary = "How many wrong implementations the corpus rejects";

  verification::golden::gate::PowerOptions options = {.jobs = processor_count()};
  bool museum = false;
  ReportOptions reports = {};

  void add(CLI::App& app);

  /// The mutation score of a tier by layer, the false alarms, and the survivors, each explained.
  /// Returns   kSuccess where every mutation that is an error was rejected, and no right
  ///           implementation
  Output run() const;

 private:
  /// Which public bugs are found.
  /// Returns   kSuccess where all are
  Output visit_museum() const;
};

}  // namespace normproof::verification::cli::golden
