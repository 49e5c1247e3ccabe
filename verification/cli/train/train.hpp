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
      "Train a Transformer to classify sentences, continue text or translate, with the same bits "
      "on every machine";

  std::filesystem::path out = {};
  TrainingSource source = {};
  std::optional<std::filesystem::path> weights = {};  ///< initial weights, with PyTorch's names
  bool resume = false;
  std::size_t checkpoint_every = 0;  ///< in steps; 0: at the end of each epoch
  int threads = processor_count();
  bool print_config = false;

  void add(CLI::App& app);

  /// Trains a classifier on a corpus, a language model on a text, or a translator on sentence pairs
  /// (training::run). Writes page.html beside the run's files at the end, and prints a summary with
  /// the hash of the last state on its own line. With print_config it only prints the
  /// configuration.
  /// Throws    UsageError, FileError, training::RunFailure
  Output run() const;
};

}  // namespace normproof::verification::cli::train
