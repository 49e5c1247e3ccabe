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

inline constexpr std::size_t kStudySteps = 87;  ///< three epochs of the published data

/// A result with the cell that its name describes.
struct Finished {
  Cell cell;
  CellResult result;
};

/// The results of a folder, by name.
using Results = std::map<std::string, Finished>;

/// Parses the lines of a store.
/// Throws    FileError naming `file` and what is wrong
Results read_results(const std::map<std::string, std::string>& lines, const std::string& file);

/// The protocol and padding that all cells of a table or figure share.
struct Condition {
  Protocol protocol = {};
  Padding padding = Padding::longest;

  bool operator==(const Condition&) const = default;
};

/// Returns "corrected", or "published/longest" if the padding is not the protocol's default.
std::string condition_name(const Condition& condition);

/// Returns the conditions that have results: corrected and published first, then in the order of
/// standard_protocols.
std::vector<Condition> list_conditions(const Results& results);

/// Returns the results that differ from `cell` only in the seed, by ascending seeds.
std::vector<const Finished*> runs_by_seed(const Results& results, Cell cell);

enum class Outcome { not_run, failed, converged, seeds_differ };

/// An entry of a table: the runs of every seed.
struct TableEntry {
  Cell cell;  ///< with an arbitrary seed
  std::vector<const Finished*> runs;
  std::size_t converged = 0, learned = 0;  ///< numbers of runs
  std::optional<bool> published;           ///< whether it converged in the published table

  Outcome outcome() const;
};

/// Return means over the runs that stayed finite, at the last epoch; nothing if no run did.
std::optional<double> mean_accuracy(const TableEntry& entry);
std::optional<double> mean_macro_f1(const TableEntry& entry);

/// Returns the minimum and maximum of these accuracies; nothing if fewer than two runs have one.
std::optional<std::pair<double, double>> accuracy_range(const TableEntry& entry);

struct Table {
  TableShape shape;
  std::vector<std::string> rates, norms;         ///< those with a result, in the study's order
  std::vector<std::vector<TableEntry>> entries;  ///< [rate][norm]
};

struct Rules {
  ConvergenceRule convergence = {};
  LearningRule learning = {};
};

/// Returns the tables of a condition that have a result.
std::vector<Table> make_tables(const Results& results, const Condition& condition,
                               const ClassCounts& classes, const Rules& rules = {});

/// Returns the two initializations as a table: its "rates" are their names, its number is 0.
std::optional<Table> initialization_table(const Results& results, const Condition& condition,
                                          const ClassCounts& classes, const Rules& rules = {});

/// How many entries agree with the published table.
struct Agreement {
  std::size_t agree = 0, differ = 0, seeds_differ = 0, not_run = 0;
};
Agreement agreement(const std::vector<Table>& tables);

/// Returns the highest rate of a table at which a norm converged for every seed; "none" if it
/// converged at none of the seven, "none of those run" if some are missing; empty if no rate was
/// run.
std::string highest_rate(const Table& table, const std::string& norm);

/// Returns the highest published rate among those that the table has; empty if nothing was
/// published.
std::string published_highest(const Table& table, const std::string& norm);

/// The number of entries whose outcome changes under another rule.
struct Sensitivity {
  Rules rules;
  std::size_t changed_convergence = 0, changed_learning = 0, entries = 0;
};

/// Counts the changed outcomes for other rules: share 0.5, 0.7, 0.9, 0.95, 1, 1.05, 1.1 with the
/// last 10 losses; the last 1, 5, 10, 29 losses with share 1; 0, 1, 2, 3 standard errors.
std::vector<Sensitivity> sensitivity(const Results& results, const Condition& condition,
                                     const ClassCounts& classes);

}  // namespace normproof::verification::studies::published
