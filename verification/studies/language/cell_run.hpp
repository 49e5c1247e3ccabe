#pragma once

#include <filesystem>
#include <functional>

#include "gpu/device/device.hpp"
#include "verification/studies/language/result.hpp"
#include "verification/studies/language/study_data.hpp"
#include "verification/training/run.hpp"

namespace normproof::verification::studies::language {

struct CellOptions {
  /// The folder of the study, which contains one folder per training run.
  std::filesystem::path folder = {};
  std::function<void(const training::RunProgress&)> after_step = {};
  gpu::device::Device* device = nullptr;  ///< the GPU to train on; nullptr: train on the CPU
};

/// Returns the folder in which a training run keeps its files. Its path is "runs/" followed by the
/// name of the training run, without "/test" and with ~ in place of /. Validation and test of a
/// model share the folder, so that the test uses the model that was trained for the validation.
std::filesystem::path run_folder(const std::filesystem::path& study, const Cell& cell);

/// Executes one training run of the study with training::run, and then tests the model if
/// cell.purpose requires it.
///
/// The training run's folder is removed at the end, unless cell.purpose is validation. If
/// cell.purpose is dynamics, the training is on the CPU and always begins at the first step;
/// therefore the folder is also removed at the beginning.
///
/// Computes  the same result for any device and number of threads, whether or not the run was
///           interrupted and resumed. If a value is not finite, the run ends, and the result
///           records that it diverged
/// Throws    UsageError if the configuration or the data is unsuitable for training; FileError
CellResult run_cell(const Cell& cell, const StudyData& data, const CellOptions& options);

}  // namespace normproof::verification::studies::language
