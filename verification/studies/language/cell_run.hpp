#pragma once

#include <filesystem>
#include <functional>

#include "gpu/device/device.hpp"
#include "verification/studies/language/result.hpp"
#include "verification/studies/language/study_data.hpp"
#include "verification/training/run.hpp"

namespace normproof::verification::studies::language {

struct CellOptions {
  std::filesystem::path folder = {};  ///< the study's folder, which contains the run's folder
  std::function<void(const training::RunProgress&)> after_step = {};
  gpu::device::Device* device = nullptr;  ///< the device to train on; nullptr: the processor
};

/// Returns the folder of a cell's run: "runs/" and the cell's name without /test, with ~ for /. The
/// test of a cell uses the model trained for its validation.
std::filesystem::path run_folder(const std::filesystem::path& study, const Cell& cell);

/// Trains a cell with training::run and, if its purpose says so, tests it.
///
/// The run's folder is then removed, except for a cell that is only validated. A cell with dynamics
/// is trained on the processor and always from its first step: its folder is also removed before.
///
/// Computes  the same result for any device and number of threads, and whether or not the run was
///           interrupted, at any point; a non-finite value ends the run and is a result
/// Throws    UsageError if the cell or the data cannot be trained on at all; FileError
CellResult run_cell(const Cell& cell, const StudyData& data, const CellOptions& options);

}  // namespace normproof::verification::studies::language
