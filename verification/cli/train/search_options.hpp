#pragma once

#include <cstddef>
#include <optional>

#include "verification/training/run_config.hpp"
#include "verification/training/translator.hpp"

namespace CLI {
class App;
}

namespace normproof::verification::cli::train {

/// Options of the beam search for a translation. An absent option has its default value.
struct SearchOptions {
  std::optional<std::size_t> beam = {};
  std::optional<double> length_penalty = {};

  training::TranslationSearch search() const;
};

/// Adds the options --beam and --length-penalty.
void add_search_options(CLI::App& app, SearchOptions& options);

/// Checks that search options are given only for a task with a search.
/// Throws    UsageError if they are given for another task
void check_no_search_options(const SearchOptions& options, training::Task task);

}  // namespace normproof::verification::cli::train
