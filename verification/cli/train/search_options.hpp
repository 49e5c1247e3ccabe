#pragma once

#include <cstddef>
#include <optional>

#include "verification/training/run_config.hpp"
#include "verification/training/translator.hpp"

namespace CLI {
class App;
}

namespace normproof::verification::cli::train {

/// How a translation is looked for, as far as it is given.
struct SearchOptions {
  std::optional<std::size_t> beam = {};
  std::optional<double> length_penalty = {};

  training::Search search() const;
};

/// --beam and --length-penalty.
void add_search_options(CLI::App& app, SearchOptions& options);

/// Throws    UsageError where one is given, which a run of the task has no use for
void refuse_search(const SearchOptions& options, training::Task task);

}  // namespace normproof::verification::cli::train
