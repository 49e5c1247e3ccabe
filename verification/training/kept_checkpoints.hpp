#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

namespace normproof::verification::training {

/// Returns the file in which a run keeps the checkpoint of a step: checkpoint-<step>.safetensors,
/// in the same folder as checkpoint.safetensors.
std::filesystem::path kept_checkpoint_path(const std::filesystem::path& folder, std::size_t step);

/// Returns, in ascending order, the steps whose kept checkpoints are in the folder. The result is
/// empty if the folder is absent.
std::vector<std::size_t> list_kept_steps(const std::filesystem::path& folder);

/// Removes the kept checkpoints of all steps after `step`. Then removes all remaining kept
/// checkpoints except the last `count`.
void remove_old_checkpoints(const std::filesystem::path& folder, std::size_t count,
                            std::size_t step);

}  // namespace normproof::verification::training
