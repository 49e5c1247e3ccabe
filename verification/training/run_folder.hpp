#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "ref/train/train_state.hpp"
#include "verification/training/run_config.hpp"

namespace normproof::verification::training {

/// What a run left beside its checkpoints.
struct RunFolder {
  std::filesystem::path path;
  RunConfig config;
  std::string data;    ///< data.json
  std::string sha256;  ///< of config.json and data.json, as the checkpoints have it
};

/// Throws    FileError naming the file: absent, or none of a run
RunFolder read_run_folder(const std::filesystem::path& folder);

/// The same of a run with that task.
/// Throws    UsageError where it has another one; FileError
RunFolder read_run_folder(const std::filesystem::path& folder, Task task);

/// The state of the last checkpoint, or, `average` being above 1, the mean of the last ones that
/// the folder keeps: mean_checkpoint. `like` is a state of the configuration.
/// Requires  (C1) average >= 1
/// Throws    ContractError; FileError naming the file: absent, damaged, or not of this run, or the
///           folder where it keeps fewer
ref::train::TrainState<double> read_last_state(const RunFolder& run, std::size_t average,
                                               const ref::train::TrainState<double>& like);

}  // namespace normproof::verification::training
