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

/// The results of a folder, each with the cell that its name says.
struct Finished {
  Cell cell;
  CellResult result;
};

/// By name.
using Results = std::map<std::string, Finished>;

/// Reads the lines of a store.
/// Throws    FileError naming `file` and what is wrong
Results read_results(const std::map<std::string, std::string>& lines, const std::string& file);

/// What tables and figures are of: everything in one is run so.
struct Condition {
  Protocol protocol = {};
  Padding padding = Padding::longest;

  bool operator==(const Condition&) const = default;
};

/// "corrected", and "published/longest" where the padding is not the protocol's own.
std::string condition_name(const Condition& condition);

/// The conditions of which there are results: corrected and published first, then as
/// standard_protocols.
std::vector<Condition> conditions_of(const Results& results);

/// The results that differ from `cell` in the seed alone, by ascending seeds.
std::vector<const Finished*> seeds_of(const Results& results, Cell cell);

enum class Outcome { not_run, failed, converged, seeds_differ };

/// A place of a table: the runs of every seed.
struct TableEntry {
  Cell cell;  ///< of any seed
  std::vector<const Finished*> runs;
  std::size_t converged = 0, learned = 0;  ///< of the runs
  std::optional<bool> published;           ///< whether it converged there

  Outcome outcome() const;
};

/// Means over the seeds that stayed finite, of the last epoch; nothing where no run has one.
std::optional<double> mean_accuracy(const TableEntry& entry);
std::optional<double> mean_macro_f1(const TableEntry& entry);

/// The least and the largest of those accuracies; nothing where fewer than two runs have one.
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

/// The tables of a condition that have a result.
std::vector<Table> tables_of(const Results& results, const Condition& condition,
                             const ClassCounts& classes, const Rules& rules = {});

/// The two initializations as a table: its "rates" are their names, its number is 0.
std::optional<Table> initialization_table(const Results& results, const Condition& condition,
                                          const ClassCounts& classes, const Rules& rules = {});

/// How a table stands beside the published one.
struct Agreement {
  std::size_t agree = 0, differ = 0, seeds_differ = 0, not_run = 0;
};
Agreement agreement(const std::vector<Table>& tables);

/// The highest rate of a table at which a norm converged for every seed, "none" where there is
/// none among all seven, "none of those run" where some are missing; empty where no rate was run.
std::string highest_rate(const Table& table, const std::string& norm);

/// The published one among the rates that the table has; empty where nothing was published.
std::string published_highest(const Table& table, const std::string& norm);

/// How many entries of the tables have another outcome under another rule.
struct Sensitivity {
  Rules rules;
  std::size_t changed_convergence = 0, changed_learning = 0, entries = 0;
};

/// share 0.5, 0.7, 0.9, 0.95, 1, 1.05, 1.1 with the last 10; the last 1, 5, 10, 29 with share 1;
/// errors 0, 1, 2, 3.
std::vector<Sensitivity> sensitivity(const Results& results, const Condition& condition,
                                     const ClassCounts& classes);

}  // namespace normproof::verification::studies::published
