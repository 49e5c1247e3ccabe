#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "ref/train/train_state.hpp"

namespace normproof::verification::training {

/// The end of metrics.jsonl at a checkpoint: its length in bytes and the hash of its lines, which
/// is empty before the first line.
struct MetricsEnd {
  std::uint64_t bytes = 0;
  std::string sha256 = {};
};

/// The state of a run after a step.
struct Checkpoint {
  ref::train::TrainState<double> state;
  MetricsEnd metrics = {};  ///< the end of metrics.jsonl after that step
  std::string run_sha256;   ///< hash of the configuration and the data, 64 hexadecimal digits
};

/// Calls f(name, tensor) for every tensor of a state, with the name that it has in a checkpoint:
/// parameter/<name>, norm/<name> or moment/<name>.
template <class T, class F>
void for_each_tensor(const ref::train::TrainState<T>& state, F f) {
  for (const auto& [name, values] : state.parameters) f(fmt::format("parameter/{}", name), values);
  for (const auto& [name, values] : state.norms) f(fmt::format("norm/{}", name), values);
  for (const auto& [name, values] : state.optimizer.moments)
    f(fmt::format("moment/{}", name), values);
}

/// Writes a checkpoint as a safetensors file, completely or not at all.
///
/// The file holds parameter/<name>, norm/<name> and moment/<name>; the counts `step`,
/// `optimizer_step` and `metrics_bytes` [1]; the 32 bytes of `run_sha256`; those of
/// `metrics_sha256` if metrics.jsonl has a line; and `sha256`, the 32 bytes of the hash of
/// everything else.
/// Throws    FileError as write_file does
void write_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint);

/// Returns the hash of configuration and data that a checkpoint file holds.
/// Throws    FileError naming the file if it is absent, truncated or altered
std::string read_run_sha256(const std::filesystem::path& file);

/// Reads a checkpoint. `like` is a state of the configuration, whose names and shapes the tensors
/// must have.
/// Throws    FileError naming the file if it is absent, truncated, altered, or of another
///           configuration
Checkpoint read_checkpoint(const std::filesystem::path& file,
                           const ref::train::TrainState<double>& like);

}  // namespace normproof::verification::training
