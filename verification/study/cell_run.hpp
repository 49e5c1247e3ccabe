#pragma once

#include <functional>

#include "verification/study/cell.hpp"
#include "verification/study/result.hpp"
#include "verification/training/dataset.hpp"

namespace normproof::verification::study {

struct CellProgress {
  std::size_t step = 0, steps = 0;
  double loss = 0;
};

struct CellOptions {
  std::function<void(const CellProgress&)> after_step = {};
};

/// Trains a cell from its initial state.
/// Computes  the same result whatever the threads and whatever else runs; a value that is not
/// finite
///           ends the cell and is a result
/// Throws    UsageError where the cell or the data cannot be trained on at all
CellResult run_cell(const Cell& cell, const training::Dataset& data,
                    const CellOptions& options = {});

}  // namespace normproof::verification::study
