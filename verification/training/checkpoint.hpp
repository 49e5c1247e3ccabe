#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "ref/train/train_state.hpp"

namespace normproof::verification::training {

/// A run as it stands after a step.
struct Checkpoint {
  ref::train::TrainState<double> state;
  std::uint64_t metrics_bytes = 0;  ///< length of metrics.jsonl after that step
  std::string run_sha256;           ///< of the configuration and the data, 64 hexadecimal digits
};

/// Writes parameter/<name>, norm/<name>, moment/<name>, the counts `step`, `optimizer_step` and
/// `metrics_bytes` [1], the 32 bytes of `run_sha256`, and `sha256`, the 32 bytes of the hash of
/// everything else, as a safetensors file: wholly or not at all.
/// Throws    FileError as write_file does
void write_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint);

/// Throws    FileError naming the file: absent, truncated, altered, or of another configuration
Checkpoint read_checkpoint(const std::filesystem::path& file,
                           const ref::model::TrainConfig& config);

}  // namespace normproof::verification::training
