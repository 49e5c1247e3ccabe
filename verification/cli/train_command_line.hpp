#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "verification/cli/train.hpp"

namespace normproof::verification::cli {

/// The options of `normproof train`, as text.
struct TrainTexts {
  std::string out, config, validation, data, vocab, weights, threads, seed, checkpoint_every = "0";
  std::vector<std::string> settings;
  bool resume = false, print_config = false;
};

void add_train(CLI::App& app, TrainTexts& texts);

/// Throws    UsageError
TrainCommand train_command(const CLI::App& command, const TrainTexts& texts);

}  // namespace normproof::verification::cli
