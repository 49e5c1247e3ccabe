#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "ref/train/train_state.hpp"
#include "verification/training/run_config.hpp"

namespace normproof::verification::training {

/// The files of a run other than its checkpoints.
struct RunFolder {
  std::filesystem::path path;
  RunConfig config;
  std::string data;    ///< content of data.json
  std::string sha256;  ///< hash of config.json and data.json, as the checkpoints have it
};

/// Reads the folder of a run.
/// Throws    FileError naming the file if it is absent or not that of a run
RunFolder read_run_folder(const std::filesystem::path& folder);

/// Reads the folder of a run that has this task.
/// Throws    UsageError if the run has another task; FileError
RunFolder read_run_folder(const std::filesystem::path& folder, Task task);

/// Reads the state of the last checkpoint or, if `average` is above 1, the mean of that many last
/// checkpoints (mean_checkpoint). `like` is a state of the configuration.
/// Requires  (C1) average >= 1
/// Throws    ContractError; FileError naming the file if it is absent, damaged or not of this run,
///           or the folder if it keeps too few checkpoints
ref::train::TrainState<double> read_last_state(const RunFolder& run, std::size_t average,
                                               const ref::train::TrainState<double>& like);

}  // namespace normproof::verification::training
