#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "ref/train/train_state.hpp"

namespace normproof::verification::training {

/// Where metrics.jsonl ends: its length, and the hash of its lines (empty before the first one).
struct MetricsEnd {
  std::uint64_t bytes = 0;
  std::string sha256 = {};
};

/// A run as it stands after a step.
struct Checkpoint {
  ref::train::TrainState<double> state;
  MetricsEnd metrics = {};  ///< after that step
  std::string run_sha256;   ///< of the configuration and the data, 64 hexadecimal digits
};

/// f(name, tensor) for every tensor of a state under the name that a checkpoint gives it:
/// parameter/<name>, norm/<name>, moment/<name>.
template <class T, class F>
void for_each_tensor(const ref::train::TrainState<T>& state, F f) {
  for (const auto& [name, values] : state.parameters) f(fmt::format("parameter/{}", name), values);
  for (const auto& [name, values] : state.norms) f(fmt::format("norm/{}", name), values);
  for (const auto& [name, values] : state.optimizer.moments)
    f(fmt::format("moment/{}", name), values);
}

/// Writes parameter/<name>, norm/<name>, moment/<name>, the counts `step`, `optimizer_step` and
/// `metrics_bytes` [1], the 32 bytes of `run_sha256`, those of `metrics_sha256` where metrics.jsonl
/// has a line, and `sha256`, the 32 bytes of the hash of everything else, as a safetensors file:
/// wholly or not at all.
/// Throws    FileError as write_file does
void write_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint);

/// The hash of configuration and data that a checkpoint has.
/// Throws    FileError naming the file: absent, truncated or altered
std::string run_sha256_of(const std::filesystem::path& file);

/// `like` is a state of the configuration: the tensors have its names and shapes.
/// Throws    FileError naming the file: absent, truncated, altered, or of another configuration
Checkpoint read_checkpoint(const std::filesystem::path& file,
                           const ref::train::TrainState<double>& like);

}  // namespace normproof::verification::training
