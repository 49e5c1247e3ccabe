#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "verification/studies/language/plan.hpp"
#include "verification/studies/published/plan.hpp"

namespace CLI {
class App;
}

namespace normproof::verification::cli::study {

/// The studies of the program. `published` is the experiment of docs/guide/study.md. `language` is
/// the study of norms in language models and translators, docs/guide/study_language.md.
enum class WhichStudy { published, language };

/// Adds the option --study.
void add_study_option(CLI::App& app, WhichStudy& study,
                      const char* help =
                          "The published experiment (default), or the norms of language "
                          "models");

/// The options that select training runs of a study.
struct StudySelection {
  WhichStudy study = WhichStudy::published;
  std::optional<std::vector<studies::published::Protocol>> protocols = {};
  std::optional<std::vector<std::size_t>> tables = {}, figures = {};
  bool no_initialization = false;
  std::optional<std::vector<std::string>> norms = {}, rates = {};
  std::optional<studies::published::Padding> padding = {};
  std::optional<std::size_t> seeds = {}, gradient_seeds = {};
  /// Names of training runs. If a name is given, no other option may select training runs.
  std::vector<std::string> cells = {};
  bool quick = false;
  std::optional<std::vector<ref::model::NormPlacement>> placements = {};
  /// The tasks. If they are absent, the command chooses tasks itself, or uses all tasks.
  std::optional<std::vector<training::Task>> tasks = {};

  void add(CLI::App& app);

  /// Returns the selection for the published study. It is the quick or the default selection, in
  /// which the given options replace the defaults.
  studies::published::Selection selection() const;
  /// Returns the selection for the study of language models. It is the quick or the default
  /// selection, in which the given options replace the defaults.
  studies::language::Selection language_selection() const;
};

/// Returns the selected training runs of the published study, each once.
/// Throws    UsageError if none is selected, or if a given name is not the name of a training run
std::vector<studies::published::Cell> select_cells(const StudySelection& selection);

/// Returns `selection`, with the option --quick added if it is needed. The argument `there` lists
/// the training runs in a folder. --quick is needed if `selection` lacks some of these training
/// runs without this option, but contains all of them with it.
StudySelection select_quick_if_needed(const StudySelection& selection,
                                      const std::vector<studies::published::Cell>& there);

/// Returns the training runs of the study of language models that --cells names, each once. The
/// result is empty if the option is not given.
/// Throws    UsageError if a given name is not the name of a training run
std::vector<studies::language::Cell> named_language_cells(const StudySelection& selection);

/// Returns the training runs that --cells names. Without --cells, returns the selected training
/// runs that choose the learning rates, and the selected tests whose learning rates can be chosen
/// from `results`.
std::vector<studies::language::Cell> list_language_cells(const StudySelection& selection,
                                                         const studies::language::Results& results);

}  // namespace normproof::verification::cli::study
