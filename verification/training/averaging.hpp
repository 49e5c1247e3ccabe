#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "verification/training/checkpoint.hpp"

namespace normproof::verification::training {

/// Averages the tensors of several checkpoints of one run. `like` is a state with the names and
/// shapes that the checkpoints' tensors must have.
///
/// Source    [VSP+17], section 6.1: the parameters of the last checkpoints are averaged
/// Computes  the mean of each element over the checkpoints: the sum divided by the number of
///           checkpoints. The norms' running statistics and nu are averaged too, as is customary.
///           (The mean of the running variances is not the variance that a model with the mean
///           parameters would measure.) The step count, the counts `iterations` and the optimizer
///           state are copied from the last checkpoint. A single checkpoint is returned bit for bit
/// Requires  (C1) files has an element
/// Order     each sum adds the checkpoints in the order of `files`
/// Throws    ContractError; FileError naming the file if it is absent or damaged, if its
///           configuration differs from that of `like`, if it belongs to another run than the first
///           file, or if it has the same step as another file
Checkpoint mean_checkpoint(const std::vector<std::filesystem::path>& files,
                           const ref::train::TrainState<double>& like);

/// Returns the paths of the last `count` checkpoints in the folder of a run, the earliest first.
/// Throws    FileError naming the folder if it has fewer checkpoints
std::vector<std::filesystem::path> find_last_checkpoints(const std::filesystem::path& folder,
                                                         std::size_t count);

}  // namespace normproof::verification::training
