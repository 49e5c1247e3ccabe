#pragma once

#include <vector>

#include "verification/studies/language/tables.hpp"

namespace normproof::verification::studies::language {

/// What of the study is asked for.
struct Selection {
  std::vector<training::Task> tasks = study_tasks();
  /// A task has those of them that are among its study_norms.
  std::vector<std::string> norms = study_norms(training::Task::translate);
  std::vector<ref::model::NormPlacement> placements = {ref::model::NormPlacement::post,
                                                       ref::model::NormPlacement::pre};
  std::uint64_t seeds = 5;  ///< 1, 2, ... that are tested; kChoosingSeeds at least
  Size size = Size::whole;
};

/// The cells whose validation chooses the rates: each norm and placement at every rate, of the
/// seeds that choose.
std::vector<Cell> choosing_cells(const Selection& selection);

/// The cells that are tested: each norm and placement whose rate can be chosen, at that rate, of
/// every seed.
std::vector<Cell> test_cells(const Selection& selection, const Results& results);

/// The cells with dynamics: each norm and placement whose rate can be chosen, at that rate, of the
/// seed 1.
std::vector<Cell> dynamics_cells(const Selection& selection, const Results& results);

/// Of choosing_cells, those whose rate was not chosen: what they were trained in is of no use.
std::vector<Cell> cells_not_chosen(const Selection& selection, const Results& results);

/// How long a cell takes beside others: one that was trained to choose has little left to do.
double cost(const Cell& cell);

}  // namespace normproof::verification::studies::language
