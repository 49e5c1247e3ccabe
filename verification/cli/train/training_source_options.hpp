#pragma once

#include <filesystem>
#include <optional>

#include "verification/cli/train/training_source.hpp"

namespace CLI {
class App;
}

namespace normproof::verification::cli::train {

/// Adds the options that select what is trained and on what data.
void add_training_source(CLI::App& app, TrainingSource& source);

/// Adds --data, --vocab and --validation only.
void add_training_data(CLI::App& app, TrainingSource& source);

/// Adds --source and --target: the languages of pairs.
void add_languages(CLI::App& app, Languages& languages);

/// Adds --run and --average, which select the model of a run.
void add_run(CLI::App& app, std::filesystem::path& folder, std::size_t& average);

/// Adds --weights, the initial weights.
void add_initial_weights(CLI::App& app, std::optional<std::filesystem::path>& weights);

}  // namespace normproof::verification::cli::train
