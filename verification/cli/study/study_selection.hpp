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

/// The studies. published: the experiment of docs/guide/study.md; language: the norms of language
/// models and translators of docs/guide/study_language.md.
enum class WhichStudy { published, language };

/// Adds --study.
void add_study(CLI::App& app, WhichStudy& study,
               const char* help =
                   "The published experiment (default), or the norms of language "
                   "models");

/// The cells of a study that a command works on.
struct StudySelection {
  WhichStudy study = WhichStudy::published;
  std::optional<std::vector<studies::published::Protocol>> protocols = {};
  std::optional<std::vector<std::size_t>> tables = {}, figures = {};
  bool no_initialization = false;
  std::optional<std::vector<std::string>> norms = {}, rates = {};
  std::optional<studies::published::Padding> padding = {};
  std::optional<std::size_t> seeds = {}, gradient_seeds = {};
  std::vector<std::string> cells = {};  ///< by name; if there are any, no other option selects
  bool quick = false;
  std::optional<std::vector<ref::model::NormPlacement>> placements = {};
  /// Absent: decided by the command, or all.
  std::optional<std::vector<training::Task>> tasks = {};

  void add(CLI::App& app);

  /// Returns the selection for the published study: the quick or the default one, with the given
  /// options in place of its own.
  studies::published::Selection selection() const;
  /// Returns the selection for the study of language models in the same way.
  studies::language::Selection language_selection() const;
};

/// Returns the selected cells of the published study, each once.
/// Throws    UsageError if there are none, or a name is not that of a cell
std::vector<studies::published::Cell> select_cells(const StudySelection& selection);

/// Returns the selection, or the one with --quick if only that contains every cell of a folder.
StudySelection quick_if_needed(const StudySelection& selection,
                               const std::vector<studies::published::Cell>& there);

/// Returns the cells of the study of language models that --cells names, each once; none without
/// it.
/// Throws    UsageError if a name is not that of a cell
std::vector<studies::language::Cell> named_language_cells(const StudySelection& selection);

/// Returns the named cells or, without names, all selected ones: those that choose the rates and
/// the tests that the results allow.
std::vector<studies::language::Cell> list_language_cells(const StudySelection& selection,
                                                         const studies::language::Results& results);

}  // namespace normproof::verification::cli::study
