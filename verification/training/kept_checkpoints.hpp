#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

namespace normproof::verification::training {

/// Returns where a run keeps the checkpoint of a step, beside its last checkpoint:
/// checkpoint-<step>.safetensors.
std::filesystem::path kept_checkpoint(const std::filesystem::path& folder, std::size_t step);

/// Returns the steps whose checkpoints a folder keeps, in ascending order; none if the folder is
/// absent.
std::vector<std::size_t> kept_steps(const std::filesystem::path& folder);

/// Removes the kept checkpoints of steps after `step`, and all but the last `count` of the others.
void remove_old_checkpoints(const std::filesystem::path& folder, std::size_t count,
                            std::size_t step);

}  // namespace normproof::verification::training
