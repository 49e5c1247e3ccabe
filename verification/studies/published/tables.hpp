#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "verification/studies/published/convergence.hpp"
#include "verification/studies/published/plan.hpp"

namespace normproof::verification::studies::published {

inline constexpr std::size_t kStudySteps = 87;  ///< steps in three epochs of the published data

/// A finished training run: its settings, parsed from its name, and its result.
struct FinishedRun {
  Cell cell;
  CellResult result;
};

/// The finished training runs of a study's folder; the key is the name.
using Results = std::map<std::string, FinishedRun>;

/// Parses the results in `lines`, whose keys are the names of the training runs.
/// Throws    FileError naming `file` and what is wrong
Results read_results(const std::map<std::string, std::string>& lines, const std::string& file);

/// The protocol and padding that all training runs in a table or figure share.
struct Condition {
  Protocol protocol = {};
  Padding padding = Padding::longest;

  bool operator==(const Condition&) const = default;
};

/// Returns the name of a condition, such as "corrected" or "published/longest". The name consists
/// of the protocol and, if the padding is not the default of the protocol, the padding.
std::string condition_name(const Condition& condition);

/// Returns the conditions that have results: first the corrected protocol, then the published one,
/// then the others in the order of standard_protocols().
std::vector<Condition> list_conditions(const Results& results);

/// Returns the finished training runs that differ from `cell` only in the seed, by ascending seeds.
std::vector<const FinishedRun*> map_runs_by_seed(const Results& results, Cell cell);

enum class Outcome { not_run, failed, converged, seeds_differ };

/// An entry of a table: the training runs with one learning rate and norm, for all seeds.
struct TableEntry {
  Cell cell;  ///< the settings of the training runs; its seed has no meaning
  std::vector<const FinishedRun*> runs;
  std::size_t converged = 0, learned = 0;  ///< numbers of training runs
  std::optional<bool> published;  ///< whether the training run converged according to the paper

  Outcome outcome() const;
};

/// These functions return the mean of a measure after the last epoch, over the training runs that
/// did not diverge. They return nothing if all training runs diverged.
std::optional<double> mean_accuracy(const TableEntry& entry);
std::optional<double> mean_macro_f1(const TableEntry& entry);

/// Returns the minimum and maximum accuracy of the training runs. Returns nothing if fewer than two
/// runs have an accuracy.
std::optional<std::pair<double, double>> accuracy_range(const TableEntry& entry);

struct Table {
  TableShape shape;
  /// The learning rates and norms that have a result, in the order of study_rates() and
  /// study_norms().
  std::vector<std::string> rates, norms;
  /// The entry of rate r and norm n is entries[r][n].
  std::vector<std::vector<TableEntry>> entries;
};

struct OutcomeRules {
  ConvergenceRule convergence = {};
  LearningRule learning = {};
};

/// Returns the tables of a condition that have at least one result.
std::vector<Table> make_tables(const Results& results, const Condition& condition,
                               const ClassCounts& classes, const OutcomeRules& rules = {});

/// Returns the results for the two initializations as a table. Its `rates` are the names of the
/// initializations, and its number is 0.
std::optional<Table> initialization_table(const Results& results, const Condition& condition,
                                          const ClassCounts& classes,
                                          const OutcomeRules& rules = {});

/// How many entries agree with the table of the paper.
struct Agreement {
  std::size_t agree = 0, differ = 0, seeds_differ = 0, not_run = 0;
};
Agreement agreement(const std::vector<Table>& tables);

/// Returns the highest learning rate of a table at which a norm converged with every seed. The text
/// is "none" if it converged at none of the seven rates, and "none of those run" if some rates were
/// not run. It is empty if no rate was run.
std::string highest_rate(const Table& table, const std::string& norm);

/// Returns the highest rate at which the norm converged according to the paper, among the rates of
/// `table`. The text is empty if the paper has no such result.
std::string published_highest(const Table& table, const std::string& norm);

/// How many entries would have another outcome if another rule were used.
struct Sensitivity {
  OutcomeRules rules;
  std::size_t changed_convergence = 0, changed_learning = 0, entries = 0;
};

/// Counts the changed outcomes for other rules. The rules of convergence have the shares 0.5, 0.7,
/// 0.9, 0.95, 1, 1.05 and 1.1 with the mean of the last 10 losses, and the share 1 with the mean of
/// the last 1, 5, 10 and 29 losses. The rules of learning have 0, 1, 2 and 3 standard errors.
std::vector<Sensitivity> sensitivity(const Results& results, const Condition& condition,
                                     const ClassCounts& classes);

}  // namespace normproof::verification::studies::published
