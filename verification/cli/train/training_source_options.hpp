#pragma once

#include <filesystem>
#include <optional>

#include "verification/cli/train/training_source.hpp"

namespace CLI {
class App;
}

namespace normproof::verification::cli::train {

/// Adds the options that select the model, the settings and the data of a training run.
void add_training_source(CLI::App& app, TrainingSource& source);

/// Adds only the options --data, --vocab and --validation.
void add_training_data(CLI::App& app, TrainingSource& source);

/// Adds the options --source and --target, which name the two languages of sentence pairs.
void add_languages(CLI::App& app, LanguagePair& languages);

/// Adds the options --run and --average, which select the model of a training run.
void add_run(CLI::App& app, std::filesystem::path& folder, std::size_t& average);

/// Adds the option --weights, whose value is a file of initial weights.
void add_initial_weights(CLI::App& app, std::optional<std::filesystem::path>& weights);

}  // namespace normproof::verification::cli::train
