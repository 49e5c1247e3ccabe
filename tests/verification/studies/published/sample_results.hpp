#pragma once

#include <string>
#include <utility>
#include <vector>

#include "verification/studies/published/tables.hpp"

namespace normproof::tests::verification::studies::published {

namespace study = normproof::verification::studies::published;

/// Returns a result with these training losses and this final accuracy.
inline study::CellResult sample_result(const study::Cell& cell, const std::vector<double>& losses,
                                       double accuracy = 0.5) {
  study::CellResult result;
  result.name = study::cell_name(cell);
  result.sha256 = result.data_sha256 = std::string(64, '0');
  for (const double loss : losses)
    result.steps.push_back({.loss = loss, .accuracy = 0.5, .gradient_norm = 1});
  result.epochs.push_back(
      {.step = losses.size(), .loss = 1, .accuracy = accuracy, .macro_f1 = accuracy / 2});
  return result;
}

inline void add(study::Results& results, const study::Cell& cell, study::CellResult result) {
  const std::string name = result.name = study::cell_name(cell);
  results.insert_or_assign(name, study::FinishedRun{cell, std::move(result)});
}

/// Adds one training run (cell) of a table of the study. `converged` says whether training
/// converged.
inline void add_table_cell(study::Results& results, std::size_t table, const std::string& norm,
                           const std::string& rate, bool converged, study::Cell of = {}) {
  of.norm = norm;
  const std::uint64_t seed = of.seed;
  study::Cell cell = study::table_cell(of, study::table_shapes().at(table - 1), rate);
  cell.seed = seed;
  add(results, cell,
      sample_result(cell, converged ? std::vector{2.0, 1.0} : std::vector{2.0, 3.0}));
}

/// Returns the counts of two classes that have fifty of a hundred sentences each.
inline study::ClassCounts evenly_split_class_counts() {
  return {.training = {50, 50}, .validation = {50, 50}};
}

}  // namespace normproof::tests::verification::studies::published
