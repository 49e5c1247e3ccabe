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
  /// What trains, or nullptr: the processor. Where dynamics are asked for it is the processor.
  gpu::device::Device* device = nullptr;
  std::function<void(const CellProgress&)> after_step = {};
};

/// Trains a cell from its initial state.
/// Computes  the same result whatever the device, the threads and whatever else runs; a value that
///           is not finite ends the cell and is a result
/// Throws    UsageError where the cell or the data cannot be trained on at all; DeviceError
CellResult run_cell(const Cell& cell, const training::Dataset& data,
                    const CellOptions& options = {});

}  // namespace normproof::verification::studies::published
