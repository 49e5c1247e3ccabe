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
      "Train a small model there and by the reference, and print the hash of both";

  normproof::gpu::device::Backend device = normproof::gpu::device::Backend::simulated;
  checks::agreement::Trained task = checks::agreement::Trained::classes;
  std::string norm = "layer_norm";
  bool scaled_embedding = false;
  std::string optimizer = "sgd";
  std::int64_t steps = 10;
  std::uint64_t seed = 42;
  int jobs = processor_count();  ///< threads of ref
  ReportOptions reports = {};

  void add(CLI::App& app);

  /// Trains on the device and by ref, and prints the hash of both trajectories.
  /// Returns   kSuccess where they are the same
  Output run() const;

 private:
  void check_task() const;  ///< that the norm is one of the task
};

}  // namespace normproof::verification::cli::gpu
