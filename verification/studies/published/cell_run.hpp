#pragma once

#include <functional>

#include "gpu/device/device.hpp"
#include "verification/studies/published/cell.hpp"
#include "verification/studies/published/result.hpp"
#include "verification/training/dataset.hpp"

namespace normproof::verification::studies::published {

struct CellProgress {
  std::size_t step = 0, steps = 0;
  double loss = 0;
};

struct CellOptions {
  /// The GPU to train on. If it is nullptr, the training is on the CPU. A training run that records
  /// dynamics is always on the CPU.
  gpu::device::Device* device = nullptr;
  std::function<void(const CellProgress&)> after_step = {};
};

/// Executes one training run of the study, from its initial state.
///
/// Computes  the same result for any device and number of threads, independent of other processes.
///           If a value is not finite, the run ends, and the result records that it diverged
/// Throws    UsageError if the configuration or the data is unsuitable for training; DeviceError
CellResult run_cell(const Cell& cell, const training::Dataset& data,
                    const CellOptions& options = {});

}  // namespace normproof::verification::studies::published
