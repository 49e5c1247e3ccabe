#pragma once

#include <filesystem>
#include <optional>

#include "verification/cli/training_source.hpp"

namespace normproof::verification::cli {

struct TrainCommand {
  TrainingSource source = {};
  std::filesystem::path out = {};
  std::optional<std::filesystem::path> weights = {};  ///< to begin with, in PyTorch's names
  bool resume = false;
  bool print_config = false;
  std::size_t checkpoint_every = 0;  ///< steps; 0: at the end of each epoch
  int threads = 1;
};

/// Trains an encoder on a corpus: see training::run. Writes page.html beside its files at the end,
/// and on standard output what came of it, the hash of the last state in a line of its own. With
/// print_config the configuration, and nothing else.
/// Throws    UsageError, FileError, training::RunFailure
void train(const TrainCommand& command);

}  // namespace normproof::verification::cli
