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
  /// File of the initial weights, with PyTorch's names.
  std::optional<std::filesystem::path> weights = {};
  bool resume = false;
  /// Number of steps between checkpoints. If it is 0, checkpoints are written only at the end of
  /// each epoch.
  std::size_t checkpoint_every = 0;
  int threads = processor_count();
  bool print_config = false;

  void add(CLI::App& app);

  /// Trains a classifier on a corpus, a language model on a text, or a translator on sentence pairs
  /// (training::run). At the end, writes page.html into the folder of the run, and prints a
  /// summary. One line of the summary is the hash of the last training state. With print_config,
  /// the command only prints the configuration.
  /// Throws    UsageError, FileError, training::RunFailure
  Output run() const;
};

}  // namespace normproof::verification::cli::train
