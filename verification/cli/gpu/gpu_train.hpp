#pragma once

#include <cstdint>
#include <string>

#include "gpu/device/device.hpp"
#include "verification/checks/agreement/trajectory.hpp"
#include "verification/cli/command.hpp"
#include "verification/cli/shared_options.hpp"

namespace normproof::verification::cli::gpu {

struct GpuTrainCommand {
  static constexpr const char* name = "train";
  static constexpr const char* summary =
      "Train a small model on the device and with the reference, and compare the hashes";

  normproof::gpu::device::Backend device = normproof::gpu::device::Backend::simulated;
  checks::agreement::TrainingTask task = checks::agreement::TrainingTask::classes;
  std::string norm = "layer_norm";
  bool scaled_embedding = false;
  std::string optimizer = "sgd";
  std::int64_t steps = 10;
  std::uint64_t seed = 42;
  int jobs = processor_count();  ///< number of threads for ref
  ReportOptions reports = {};

  void add(CLI::App& app);

  /// Trains the same model on the device and with ref. For each of the two training runs, prints a
  /// hash of its sequence of states.
  /// Returns   kSuccess if the two hashes are the same
  Output run() const;

 private:
  void check_task() const;  ///< throws if the task does not support the norm
};

}  // namespace normproof::verification::cli::gpu
