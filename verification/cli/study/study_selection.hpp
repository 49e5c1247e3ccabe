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

/// published: the experiment of docs/guide/study.md; language: the norms of language models and
/// translators, of docs/guide/study_language.md.
enum class WhichStudy { published, language };

/// --study
void add_study(CLI::App& app, WhichStudy& study,
               const char* help =
                   "The published experiment (default), or the norms of language "
                   "models");

/// Which cells of a study a command is about.
struct StudySelection {
  WhichStudy study = WhichStudy::published;
  std::optional<std::vector<studies::published::Protocol>> protocols = {};
  std::optional<std::vector<std::size_t>> tables = {}, figures = {};
  bool no_initialization = false;
  std::optional<std::vector<std::string>> norms = {}, rates = {};
  std::optional<studies::published::Padding> padding = {};
  std::optional<std::size_t> seeds = {}, gradient_seeds = {};
  std::vector<std::string> cells = {};  ///< by name; where there are some, nothing else selects
  bool quick = false;
  std::optional<std::vector<ref::model::NormPlacement>> placements = {};
  std::optional<std::vector<training::Task>> tasks = {};  ///< absent: the command's to say, or all

  void add(CLI::App& app);

  /// Of the published study, the selection of `quick`, or the usual one, with what is given in its
  /// place.
  studies::published::Selection selection() const;
  /// The same of the study of language models.
  studies::language::Selection language_selection() const;
};

/// The cells of the published study that are selected, each once.
/// Throws    UsageError where there is none, or a name is no cell's
std::vector<studies::published::Cell> cells_of(const StudySelection& selection);

/// The selection, or the same with --quick where only that has every cell of a folder.
StudySelection quick_where_cells_are(const StudySelection& selection,
                                     const std::vector<studies::published::Cell>& there);

/// The cells of the study of language models that --cells names, each once; none without it.
/// Throws    UsageError where a name is no cell's
std::vector<studies::language::Cell> named_language_cells(const StudySelection& selection);

/// Those, or all that are selected: with these results the ones that are tested too.
std::vector<studies::language::Cell> language_cells_of(const StudySelection& selection,
                                                       const studies::language::Results& results);

}  // namespace normproof::verification::cli::study
