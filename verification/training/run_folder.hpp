#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "ref/train/train_state.hpp"
#include "verification/training/run_config.hpp"

namespace normproof::verification::training {

/// The content of a run's folder, except its checkpoints.
struct RunFolder {
  std::filesystem::path path;
  RunConfig config;
  std::string data;  ///< text of data.json
  /// Hash of config.json and data.json; the checkpoints of the run store the same hash.
  std::string sha256;
};

/// Reads config.json and data.json from the folder of a run.
/// Throws    FileError naming the file if it is absent or not part of a run
RunFolder read_run_folder(const std::filesystem::path& folder);

/// Reads config.json and data.json from the folder of a run, whose task must be `task`.
/// Throws    UsageError if the run has another task; FileError
RunFolder read_run_folder(const std::filesystem::path& folder, Task task);

/// Reads the state of the last checkpoint of a run. If `average` is above 1, returns the mean of
/// the last `average` checkpoints, as computed by mean_checkpoint. `like` is a state with the names
/// and shapes that the checkpoint's tensors must have.
/// Requires  (C1) average >= 1
/// Throws    ContractError; FileError naming the file if it is absent, damaged or not of this run,
///           or naming the folder if it has too few checkpoints
ref::train::TrainState<double> read_last_state(const RunFolder& run, std::size_t average,
                                               const ref::train::TrainState<double>& like);

}  // namespace normproof::verification::training
