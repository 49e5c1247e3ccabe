#pragma once

#include <vector>

#include "verification/studies/language/tables.hpp"

namespace normproof::verification::studies::language {

/// The requested part of the study.
struct Selection {
  std::vector<training::Task> tasks = study_tasks();
  /// Each task uses those among its study_norms.
  std::vector<std::string> norms = study_norms(training::Task::translate);
  std::vector<ref::model::NormPlacement> placements = {ref::model::NormPlacement::post,
                                                       ref::model::NormPlacement::pre};
  std::uint64_t seeds = 5;  ///< number of seeds 1, 2, ... to test; at least kChoosingSeeds
  Size size = Size::whole;
};

/// Returns the cells whose validation decides the rates: each norm and placement at every rate, for
/// the deciding seeds.
std::vector<Cell> deciding_cells(const Selection& selection);

/// Returns the cells to test: each norm and placement at its chosen rate, if it is known, for every
/// seed.
std::vector<Cell> test_cells(const Selection& selection, const Results& results);

/// Returns the cells with dynamics: each norm and placement at its chosen rate, if it is known, for
/// seed 1.
std::vector<Cell> dynamics_cells(const Selection& selection, const Results& results);

/// Returns the cells of deciding_cells whose rate is known not to be chosen. Their run folders are
/// no longer needed.
std::vector<Cell> list_rejected_cells(const Selection& selection, const Results& results);

/// Returns the relative cost of a cell. Testing a cell that was trained to choose the rate takes
/// little time.
double cost(const Cell& cell);

}  // namespace normproof::verification::studies::language
