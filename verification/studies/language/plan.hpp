#pragma once

#include <vector>

#include "verification/studies/language/tables.hpp"

namespace normproof::verification::studies::language {

/// The part of the study that the user requests.
struct Selection {
  std::vector<training::Task> tasks = study_tasks();
  /// The norms to study. A task ignores the norms that are not in its study_norms().
  std::vector<std::string> norms = study_norms(training::Task::translate);
  std::vector<ref::model::NormPlacement> placements = {ref::model::NormPlacement::post,
                                                       ref::model::NormPlacement::pre};
  std::uint64_t seeds = 5;  ///< number of seeds, 1, 2, ...; at least kRateSelectionSeeds
  Size size = Size::whole;
};

/// Returns the training runs whose validation results choose the learning rates: each norm and
/// placement at each rate, with each of the first kRateSelectionSeeds seeds.
std::vector<Cell> rate_selection_cells(const Selection& selection);

/// Returns the training runs that are tested: each norm and placement at its chosen learning rate,
/// with each seed. A norm whose rate is not chosen yet is left out.
std::vector<Cell> test_cells(const Selection& selection, const Results& results);

/// Returns the training runs that record dynamics: each norm and placement at its chosen learning
/// rate, with seed 1. A norm whose rate is not chosen yet is left out.
std::vector<Cell> dynamics_cells(const Selection& selection, const Results& results);

/// Returns the training runs in rate_selection_cells() whose learning rate was not chosen. Their
/// folders are no longer needed.
std::vector<Cell> list_cells_at_rejected_rates(const Selection& selection, const Results& results);

/// Returns the relative cost of a training run. If the run only tests a model that was already
/// trained to choose the learning rate, the cost is small.
double cost(const Cell& cell);

}  // namespace normproof::verification::studies::language
