#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "verification/training/checkpoint.hpp"

namespace normproof::verification::training {

/// A model from several checkpoints of one run, with the tensors of `like`.
///
/// Source    [VSP+17], section 6.1: the parameters of the last checkpoints are averaged
/// Computes  each element of each parameter: the sum over the checkpoints, over their number. The
///           same of what norms carry, running statistics and nu, as is customary, though the mean
///           of running variances is not the variance before the mean of the parameters; but
///           `iterations`, a count, is the last checkpoint's, as the optimizer and the step are. Of
///           one checkpoint, its bits
/// Requires  (C1) files has an element
/// Order     the sums run in the order of the files
/// Throws    ContractError; FileError naming the file: absent, damaged, of another configuration,
///           of another run than the first one, or of the same step as another
Checkpoint mean_checkpoint(const std::vector<std::filesystem::path>& files,
                           const ref::train::TrainState<double>& like);

/// The last checkpoints that the folder of a run keeps, the earliest first.
/// Throws    FileError naming the folder where it keeps fewer
std::vector<std::filesystem::path> last_checkpoints(const std::filesystem::path& folder,
                                                    std::size_t count);

}  // namespace normproof::verification::training
