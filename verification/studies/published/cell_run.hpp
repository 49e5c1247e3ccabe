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
  /// The device to train on; nullptr: the processor. A cell with dynamics is always trained on the
  /// processor.
  gpu::device::Device* device = nullptr;
  std::function<void(const CellProgress&)> after_step = {};
};

/// Trains a cell from its initial state.
///
/// Computes  the same result for any device and number of threads, whatever else runs; a non-finite
///           value ends the cell and is a result
/// Throws    UsageError if the cell or the data cannot be trained on at all; DeviceError
CellResult run_cell(const Cell& cell, const training::Dataset& data,
                    const CellOptions& options = {});

}  // namespace normproof::verification::studies::published
