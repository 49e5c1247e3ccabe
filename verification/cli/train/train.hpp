#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

#include "verification/cli/command.hpp"
#include "verification/cli/shared_options.hpp"
#include "verification/cli/train/training_source.hpp"

namespace normproof::verification::cli::train {

struct TrainCommand {
  static constexpr const char* name = "train";
  static constexpr const char* summary =
      "Train a Transformer to classify, to go on or to translate, with the same bits on every "
      "machine";

  std::filesystem::path out = {};
  TrainingSource source = {};
  std::optional<std::filesystem::path> weights = {};  ///< to begin with, in PyTorch's names
  bool resume = false;
  std::size_t checkpoint_every = 0;  ///< steps; 0: at the end of each epoch
  int threads = processor_count();
  bool print_config = false;

  void add(CLI::App& app);

  /// Trains an encoder on a corpus, a language model on a text, or a translator on pairs of
  /// sentences: see training::run. Writes
  /// page.html beside its files at the end, and on standard output what came of it, the hash of the
  /// last state in a line of its own. With print_config the configuration, and nothing else.
  /// Throws    UsageError, FileError, training::RunFailure
  Output run() const;
};

}  // namespace normproof::verification::cli::train
