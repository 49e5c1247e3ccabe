#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "verification/study/plan.hpp"

namespace CLI {
class App;
}

namespace normproof::verification::cli::commands {

/// Which cells of the study a command is about.
struct StudySelection {
  std::optional<std::vector<study::Protocol>> protocols = {};
  std::optional<std::vector<std::size_t>> tables = {}, figures = {};
  bool no_initialization = false;
  std::optional<std::vector<std::string>> norms = {}, rates = {};
  std::optional<study::Padding> padding = {};
  std::optional<std::size_t> seeds = {}, gradient_seeds = {};
  std::vector<std::string> cells = {};  ///< by name; where there are some, nothing else selects
  bool quick = false;

  void add(CLI::App& app);

  /// The selection of `quick`, or the usual one, with what is given in its place.
  study::Selection selection() const;
};

/// The cells that are selected, each once.
/// Throws    UsageError where there is none, or a name is no cell's
std::vector<study::Cell> cells_of(const StudySelection& selection);

}  // namespace normproof::verification::cli::commands
