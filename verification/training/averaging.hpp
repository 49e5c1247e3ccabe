#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "verification/training/checkpoint.hpp"

namespace normproof::verification::training {

/// Averages several checkpoints of one run. `like` has the tensors' names and shapes.
///
/// Source    [VSP+17], section 6.1: the parameters of the last checkpoints are averaged
/// Computes  each parameter element: the sum over the checkpoints divided by their number. The
///           running statistics and nu of the norms are averaged in the same way, as is customary,
///           although a mean of running variances is not the variance at the mean parameters.
///           `iterations`, the optimizer and the step are those of the last checkpoint. A single
///           checkpoint is returned bit for bit
/// Requires  (C1) files has an element
/// Order     the sums run in the order of the files
/// Throws    ContractError; FileError naming the file if it is absent, damaged, of another
///           configuration, of another run than the first one, or of the same step as another
Checkpoint mean_checkpoint(const std::vector<std::filesystem::path>& files,
                           const ref::train::TrainState<double>& like);

/// Returns the last checkpoints that the folder of a run keeps, the earliest first.
/// Throws    FileError naming the folder if it keeps fewer
std::vector<std::filesystem::path> last_checkpoints(const std::filesystem::path& folder,
                                                    std::size_t count);

}  // namespace normproof::verification::training
