#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

namespace normproof::verification::training {

/// Where a run keeps the checkpoint of a step beside its last one: checkpoint-<step>.safetensors.
std::filesystem::path kept_checkpoint(const std::filesystem::path& folder, std::size_t step);

/// The steps whose checkpoints a folder keeps, ascending; none where there is no folder.
std::vector<std::size_t> kept_steps(const std::filesystem::path& folder);

/// Removes the kept checkpoints of steps behind `step`, and of the others all but the last `count`.
void keep_last(const std::filesystem::path& folder, std::size_t count, std::size_t step);

}  // namespace normproof::verification::training
