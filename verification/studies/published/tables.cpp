#include "verification/studies/published/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "verification/studies/published/published.hpp"
#include "verification/studies/published/read_finished.hpp"

namespace normproof::verification::studies::published {

namespace {

/// Returns a training run with the settings of the condition, and default seed and learning rate.
Cell cell_of(const Condition& condition) {
  Cell cell;
  cell.protocol = condition.protocol;
  cell.padding = condition.padding;
  return cell;
}

TableEntry make_entry(const Results& results, Cell cell, const ClassCounts& classes,
                      const OutcomeRules& rules) {
  TableEntry entry;
  entry.runs = map_runs_by_seed(results, cell);
  entry.cell = std::move(cell);
  for (const FinishedRun* run : entry.runs) {
    entry.converged += converged(run->result, rules.convergence) ? 1 : 0;
    entry.learned += learned(run->result, classes, rules.learning) ? 1 : 0;
  }
  return entry;
}

/// Makes a table from the entry of every learning rate and norm. Rows and columns without a
/// training run are left out.
Table make_table_of_entries(
    const TableShape& shape, const std::vector<std::string>& rates,
    const std::function<TableEntry(const std::string&, const std::string&)>& entry) {
  Table table{shape, {}, {}, {}};
  const auto has_run = [](const TableEntry& e) { return !e.runs.empty(); };
  std::vector<std::vector<TableEntry>> rows;
  std::set<std::size_t> columns;
  const std::vector<std::string> norms = study_norms();
  for (const std::string& rate : rates) {
    std::vector<TableEntry> row;
    row.reserve(norms.size());
    for (const std::string& norm : norms) {
      row.push_back(entry(rate, norm));
      if (has_run(row.back())) columns.insert(row.size() - 1);
    }
    if (!std::ranges::any_of(row, has_run)) continue;
    table.rates.push_back(rate);
    rows.push_back(std::move(row));
  }
  for (const std::size_t column : columns) table.norms.push_back(norms[column]);
  for (std::vector<TableEntry>& row : rows) {
    table.entries.emplace_back();
    for (const std::size_t column : columns) table.entries.back().push_back(std::move(row[column]));
  }
  return table;
}

template <class Value>
std::optional<double> mean_of_runs(const TableEntry& entry, const Value& value) {
  double sum = 0;
  std::size_t count = 0;
  for (const FinishedRun* run : entry.runs)
    if (!run->result.diverged && !run->result.epochs.empty()) {
      sum += value(run->result.epochs.back());
      ++count;
    }
  return count > 0 ? std::optional(sum / static_cast<double>(count)) : std::nullopt;
}

/// Returns, for every entry of the tables, how many training runs converged and how many learned
/// under these rules. The order of the entries does not depend on the rules.
std::vector<std::pair<std::size_t, std::size_t>> count_outcomes(const Results& results,
                                                                const Condition& condition,
                                                                const ClassCounts& classes,
                                                                const OutcomeRules& rules) {
  std::vector<std::pair<std::size_t, std::size_t>> counts;
  for (const Table& table : make_tables(results, condition, classes, rules))
    for (const auto& row : table.entries)
      for (const TableEntry& entry : row)
        if (!entry.runs.empty()) counts.emplace_back(entry.converged, entry.learned);
  return counts;
}

}  // namespace

Results read_results(const std::map<std::string, std::string>& lines, const std::string& file) {
  return read_finished_runs<FinishedRun>(lines, file, parse_cell, parse_result);
}

std::string condition_name(const Condition& condition) {
  std::string name = protocol_name(condition.protocol);
  if (condition.padding != default_padding(condition.protocol))
    name += condition.padding == Padding::longest ? "/longest" : "/512";
  return name;
}

std::vector<Condition> list_conditions(const Results& results) {
  std::vector<Condition> conditions;
  const auto add = [&](const Protocol& protocol, bool any) {
    for (const auto& [name, finished] : results) {
      const Condition condition{finished.cell.protocol, finished.cell.padding};
      if ((any || condition.protocol == protocol) &&
          std::ranges::find(conditions, condition) == conditions.end())
        conditions.push_back(condition);
    }
  };
  for (const Protocol& protocol : standard_protocols()) add(protocol, false);
  add({}, true);
  return conditions;
}

std::vector<const FinishedRun*> map_runs_by_seed(const Results& results, Cell cell) {
  // Training runs whose names differ only in the seed have the same other settings.
  std::vector<const FinishedRun*> found;
  cell.seed = 0;
  const std::string with_seed = cell_name(cell);
  const std::size_t seed = with_seed.find("/seed-");
  const std::string head = with_seed.substr(0, seed + 6);
  for (auto at = results.lower_bound(head); at != results.end() && at->first.starts_with(head);
       ++at) {
    Cell same = at->second.cell;
    same.seed = 0;
    if (same == cell) found.push_back(&at->second);
  }
  std::ranges::sort(found, {}, [](const FinishedRun* f) { return f->cell.seed; });
  return found;
}

Outcome TableEntry::outcome() const {
  if (runs.empty()) return Outcome::not_run;
  if (converged == runs.size()) return Outcome::converged;
  return converged == 0 ? Outcome::failed : Outcome::seeds_differ;
}

std::optional<double> mean_accuracy(const TableEntry& entry) {
  return mean_of_runs(entry, [](const EpochResult& epoch) { return epoch.accuracy; });
}

std::optional<double> mean_macro_f1(const TableEntry& entry) {
  return mean_of_runs(entry, [](const EpochResult& epoch) { return epoch.macro_f1; });
}

std::optional<std::pair<double, double>> accuracy_range(const TableEntry& entry) {
  std::vector<double> accuracies;
  for (const FinishedRun* run : entry.runs)
    if (!run->result.diverged && !run->result.epochs.empty())
      accuracies.push_back(run->result.epochs.back().accuracy);
  if (accuracies.size() < 2) return std::nullopt;
  const auto [least, largest] = std::ranges::minmax(accuracies);
  return std::pair(least, largest);
}

std::vector<Table> make_tables(const Results& results, const Condition& condition,
                               const ClassCounts& classes, const OutcomeRules& rules) {
  std::vector<Table> tables;
  for (const TableShape& shape : table_shapes()) {
    Table table = make_table_of_entries(
        shape, study_rates(), [&](const std::string& rate, const std::string& norm) {
          Cell cell = cell_of(condition);
          cell.norm = norm;
          cell.steps = kStudySteps;
          TableEntry entry = make_entry(results, table_cell(cell, shape, rate), classes, rules);
          entry.published = published_outcome(shape.number, norm, rate);
          return entry;
        });
    if (!table.norms.empty()) tables.push_back(std::move(table));
  }
  return tables;
}

std::optional<Table> initialization_table(const Results& results, const Condition& condition,
                                          const ClassCounts& classes, const OutcomeRules& rules) {
  Table table = make_table_of_entries(
      {0, 1, 320}, {"uniform-0.1", "uniform-100"},
      [&](const std::string& initialization, const std::string& norm) {
        Cell cell = cell_of(condition);
        cell.norm = norm;
        TableEntry entry =
            make_entry(results, initialization_cell(cell, initialization), classes, rules);
        entry.published = published_initialization(norm, initialization);
        return entry;
      });
  return table.norms.empty() ? std::nullopt : std::optional(std::move(table));
}

Agreement agreement(const std::vector<Table>& tables) {
  Agreement counts;
  for (const Table& table : tables)
    for (const auto& row : table.entries)
      for (const TableEntry& entry : row) {
        if (!entry.published) continue;
        const Outcome outcome = entry.outcome();
        if (outcome == Outcome::not_run)
          ++counts.not_run;
        else if (outcome == Outcome::seeds_differ)
          ++counts.seeds_differ;
        else if ((outcome == Outcome::converged) == *entry.published)
          ++counts.agree;
        else
          ++counts.differ;
      }
  return counts;
}

std::string published_highest(const Table& table, const std::string& norm) {
  if (!published_highest_rate(table.shape.number, norm)) return {};
  for (const std::string& rate : table.rates)
    if (published_outcome(table.shape.number, norm, rate) == true) return rate;
  return "none";
}

std::string highest_rate(const Table& table, const std::string& norm) {
  const auto column = std::ranges::find(table.norms, norm);
  if (column == table.norms.end()) return "";
  const auto place = static_cast<std::size_t>(column - table.norms.begin());
  std::size_t run = 0;
  for (std::size_t row = 0; row < table.rates.size(); ++row) {
    const Outcome outcome = table.entries[row][place].outcome();
    if (outcome == Outcome::converged) return table.rates[row];
    run += outcome != Outcome::not_run ? 1 : 0;
  }
  if (run == 0) return "";
  return run == study_rates().size() ? "none" : "none of those run";
}

std::vector<Sensitivity> sensitivity(const Results& results, const Condition& condition,
                                     const ClassCounts& classes) {
  std::vector<Sensitivity> rows;
  const auto base = count_outcomes(results, condition, classes, {});
  const auto add = [&](const OutcomeRules& rules) {
    Sensitivity row{rules, 0, 0, base.size()};
    const auto counts = count_outcomes(results, condition, classes, rules);
    for (std::size_t i = 0; i < base.size(); ++i) {
      row.changed_convergence += counts[i].first != base[i].first ? 1 : 0;
      row.changed_learning += counts[i].second != base[i].second ? 1 : 0;
    }
    rows.push_back(row);
  };
  for (const double share : {0.5, 0.7, 0.9, 0.95, 1.0, 1.05, 1.1})
    add({{.share = share, .last = 10}, {}});
  for (const std::size_t last : {1, 5, 29}) add({{.share = 1, .last = last}, {}});
  for (const double errors : {0.0, 1.0, 3.0}) add({{}, {.errors = errors}});
  return rows;
}

}  // namespace normproof::verification::studies::published
