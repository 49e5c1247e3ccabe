#pragma once

#include <filesystem>
#include <optional>

#include "verification/cli/train/training_source.hpp"

namespace CLI {
class App;
}

namespace normproof::verification::cli::train {

/// The options that say what is trained and on what.
void add_training_source(CLI::App& app, TrainingSource& source);

/// --data, --vocab and --validation alone.
void add_training_data(CLI::App& app, TrainingSource& source);

/// --source and --target: the languages of pairs.
void add_languages(CLI::App& app, Languages& languages);

/// --run and --average: which model of a run is meant.
void add_run(CLI::App& app, std::filesystem::path& folder, std::size_t& average);

/// --weights: what is begun with.
void add_initial_weights(CLI::App& app, std::optional<std::filesystem::path>& weights);

}  // namespace normproof::verification::cli::train
