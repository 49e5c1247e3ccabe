#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "verification/cli/training_source.hpp"

namespace normproof::verification::cli {

/// The options that say what is trained and on what, as text.
struct TrainingSourceTexts {
  std::string config, validation, data, vocab, seed;
  std::vector<std::string> settings;
};

void add_training_source(CLI::App& command, TrainingSourceTexts& texts);

/// --weights: what is begun with.
void add_initial_weights(CLI::App& command, std::string& text);

/// Throws    UsageError
TrainingSource training_source_of(const CLI::App& command, const TrainingSourceTexts& texts);

}  // namespace normproof::verification::cli
