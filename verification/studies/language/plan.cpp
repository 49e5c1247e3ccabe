#include "verification/studies/language/plan.hpp"

#include <algorithm>

#include "verification/studies/language/choice.hpp"

namespace normproof::verification::studies::language {
namespace {

/// Calls `f(condition, norm)` for every selected combination of task, size, placement and norm.
template <class F>
void for_each_norm(const Selection& selection, const F& f) {
  for (const training::Task task : selection.tasks)
    for (const auto placement : selection.placements)
      for (const std::string& norm : selection.norms)
        if (std::ranges::find(study_norms(task), norm) != study_norms(task).end())
          f(Condition{task, placement, selection.size}, norm);
}

}  // namespace

std::vector<Cell> rate_selection_cells(const Selection& selection) {
  std::vector<Cell> cells;
  for_each_norm(selection, [&](const Condition& condition, const std::string& norm) {
    for (const std::string& rate : study_rates())
      for (std::uint64_t seed = 1; seed <= kRateSelectionSeeds; ++seed)
        cells.push_back(cell_of(condition, norm, rate, seed, RunPurpose::validation));
  });
  return cells;
}

std::vector<Cell> test_cells(const Selection& selection, const Results& results) {
  std::vector<Cell> cells;
  for_each_norm(selection, [&](const Condition& condition, const std::string& norm) {
    if (const auto rate = chosen_rate(results, condition, norm))
      for (std::uint64_t seed = 1; seed <= selection.seeds; ++seed)
        cells.push_back(cell_of(condition, norm, *rate, seed, RunPurpose::test));
  });
  return cells;
}

std::vector<Cell> dynamics_cells(const Selection& selection, const Results& results) {
  std::vector<Cell> cells;
  for_each_norm(selection, [&](const Condition& condition, const std::string& norm) {
    if (const auto rate = chosen_rate(results, condition, norm))
      cells.push_back(dynamics_cell(condition, norm, *rate));
  });
  return cells;
}

std::vector<Cell> list_cells_at_rejected_rates(const Selection& selection, const Results& results) {
  std::vector<Cell> cells = rate_selection_cells(selection);
  std::erase_if(cells, [&](const Cell& cell) {
    const auto rate = chosen_rate(results, {cell.task, cell.placement, cell.size}, cell.norm);
    return !rate || *rate == cell.learning_rate;
  });
  return cells;
}

double cost(const Cell& cell) {
  constexpr double kWholeRunCost = 60;          // relative to a quick run
  constexpr double kTranslatorCostFactor = 2;   // relative to a language model of the size `whole`
  constexpr double kTestOnlyCostFactor = 0.05;  // relative to a run that must also train the model
  const bool trained_before = cell.purpose == RunPurpose::test && cell.seed <= kRateSelectionSeeds;
  double own = cell.size == Size::whole ? kWholeRunCost : 1;
  if (cell.size == Size::whole && cell.task == training::Task::translate)
    own *= kTranslatorCostFactor;
  return own * (trained_before ? kTestOnlyCostFactor : 1);
}

}  // namespace normproof::verification::studies::language
