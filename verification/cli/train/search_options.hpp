#pragma once

#include <cstddef>
#include <optional>

#include "verification/training/run_config.hpp"
#include "verification/training/translator.hpp"

namespace CLI {
class App;
}

namespace normproof::verification::cli::train {

/// Options of the search for a translation; absent ones have their defaults.
struct SearchOptions {
  std::optional<std::size_t> beam = {};
  std::optional<double> length_penalty = {};

  training::Search search() const;
};

/// Adds --beam and --length-penalty.
void add_search_options(CLI::App& app, SearchOptions& options);

/// Checks that no search option is given for a task without a search.
/// Throws    UsageError if one is
void check_no_search(const SearchOptions& options, training::Task task);

}  // namespace normproof::verification::cli::train
