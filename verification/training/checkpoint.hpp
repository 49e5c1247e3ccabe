#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "ref/train/train_state.hpp"

namespace normproof::verification::training {

/// The length in bytes of metrics.jsonl when a checkpoint was written, and the hash of its lines.
/// The hash is empty if the file had no line.
struct MetricsEnd {
  std::uint64_t bytes = 0;
  std::string sha256 = {};
};

/// The state of a training run after one of its steps.
struct Checkpoint {
  ref::train::TrainState<double> state;
  MetricsEnd metrics = {};  ///< where metrics.jsonl ended after that step
  std::string run_sha256;   ///< hash of the run's configuration and data, 64 hexadecimal digits
};

/// Calls `f(name, tensor)` for every tensor of a training state. The name is the tensor's name in a
/// checkpoint file: parameter/<name>, norm/<name> or moment/<name>.
template <class T, class F>
void for_each_tensor(const ref::train::TrainState<T>& state, F f) {
  for (const auto& [name, values] : state.parameters) f(fmt::format("parameter/{}", name), values);
  for (const auto& [name, values] : state.norms) f(fmt::format("norm/{}", name), values);
  for (const auto& [name, values] : state.optimizer.moments)
    f(fmt::format("moment/{}", name), values);
}

/// Writes a checkpoint as a safetensors file. If writing fails, no partial file remains.
///
/// The file holds the tensors parameter/<name>, norm/<name> and moment/<name>; the counts `step`,
/// `optimizer_step` and `metrics_bytes`, each of shape [1]; and the hashes `run_sha256`,
/// `metrics_sha256` and `sha256`, each of 32 bytes. `metrics_sha256` is absent if metrics.jsonl has
/// no line. `sha256` is the hash of everything else in the file.
/// Throws    FileError as write_file does
void write_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint);

/// Returns `run_sha256` of a checkpoint file: the hash of the run's configuration and data.
/// Throws    FileError naming the file if it is absent, truncated or altered
std::string read_run_sha256(const std::filesystem::path& file);

/// Reads a checkpoint. `like` is a training state with the names and shapes that the checkpoint's
/// tensors must have.
/// Throws    FileError naming the file if it is absent, truncated or altered, or if the names or
///           shapes of its tensors differ from the names and shapes in `like`
Checkpoint read_checkpoint(const std::filesystem::path& file,
                           const ref::train::TrainState<double>& like);

}  // namespace normproof::verification::training
