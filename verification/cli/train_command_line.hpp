#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "verification/cli/train.hpp"
#include "verification/cli/training_source_options.hpp"

namespace normproof::verification::cli {

/// The options of `normproof train`, as text.
struct TrainTexts {
  TrainingSourceTexts source;
  std::string out, weights, threads, checkpoint_every = "0";
  bool resume = false, print_config = false;
};

void add_train(CLI::App& app, TrainTexts& texts);

/// Throws    UsageError
TrainCommand train_command(const CLI::App& command, const TrainTexts& texts);

}  // namespace normproof::verification::cli
