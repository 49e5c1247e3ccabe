#pragma once

#include <filesystem>
#include <functional>

#include "gpu/device/device.hpp"
#include "verification/studies/language/result.hpp"
#include "verification/studies/language/study_data.hpp"
#include "verification/training/run.hpp"

namespace normproof::verification::studies::language {

struct CellOptions {
  std::filesystem::path folder = {};  ///< of the study: the run has one of its own inside it
  std::function<void(const training::RunProgress&)> after_step = {};
  gpu::device::Device* device = nullptr;  ///< what trains; none: the processor
};

/// Where a cell is trained: "runs/" and its name without /test, with ~ for /. What was validated is
/// tested there without being trained again.
std::filesystem::path run_folder(const std::filesystem::path& study, const Cell& cell);

/// Trains a cell by training::run, tests it where the cell says so, and then removes the run's
/// folder; that of a cell that is validated alone stays. A cell with dynamics is trained by the
/// processor, and from its first step: its folder is removed before too.
///
/// Computes  the same result whatever the device and the threads, and whether the run was
///           interrupted, at any point, or not; a value that is not finite ends the run and is a
///           result
/// Throws    UsageError where the cell or the data cannot be trained on at all; FileError
CellResult run_cell(const Cell& cell, const StudyData& data, const CellOptions& options);

}  // namespace normproof::verification::studies::language
