#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

namespace normproof::verification::training {

/// Returns the file in which a run keeps the checkpoint of a step: checkpoint-<step>.safetensors,
/// in the same folder as checkpoint.safetensors.
std::filesystem::path kept_checkpoint(const std::filesystem::path& folder, std::size_t step);

/// Returns, in ascending order, the steps of which the folder has a kept checkpoint. The result is
/// empty if the folder is absent.
std::vector<std::size_t> kept_steps(const std::filesystem::path& folder);

/// Removes kept checkpoints: those of steps after `step`, and of the others all except the last
/// `count`.
void remove_old_checkpoints(const std::filesystem::path& folder, std::size_t count,
                            std::size_t step);

}  // namespace normproof::verification::training
