#pragma once

#include <compare>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "verification/studies/published/plan.hpp"

namespace normproof::verification::studies::published {

/// Whether the cells of one column of a table converged, by the names of study_rates(); nothing
/// where the cell was not run.
using Column = std::function<std::optional<bool>(const std::string& rate)>;

/// The highest rate at which a column converged, of those run; "no rate" where it converged at none
/// of all, "no rate of those run" where some are missing, "not run" where all are.
std::string highest_text(const Column& column);

/// Which of two columns converges at the higher rate.
///
/// Computes  from the highest of study_rates() down, over those in `run`: the first at which one
///           alone converged decides, and one at which both did makes them equal. Nothing where
///           what is missing may decide: a cell of `run` before the decision; a rate outside of it
///           above the one at which both converged; any rate where neither did
/// Requires  every rate of which a column has an answer is in `run`
std::optional<std::strong_ordering> compare_highest(const Column& left, const Column& right,
                                                    const std::set<std::string>& run);

/// The tables of one seed.
struct RatesRun {
  /// Whether the cell of a table, a norm and a rate converged; nothing where it was not run.
  std::function<std::optional<bool>(const TableShape&, const std::string& norm,
                                    const std::string& rate)>
      converges;
  std::set<std::string> rates;  ///< those of which any table has a cell
};

struct RateAnswer {
  std::string numbers;             ///< table by table, and which of them are not decided
  std::optional<bool> holds = {};  ///< nothing where what is missing may decide
};

/// Computes  whether `norm` converges at a higher rate than `other` in one table at least, and at a
///           lower one in none, over the tables that were run; nothing where a table that is begun
///           may make it otherwise, or where they are equal and a table is missing
RateAnswer trains_higher(const RatesRun& run, const std::string& norm, const std::string& other);

/// Computes  whether at 5 layers the highest rate without norm is below LayerNorm's and below that
///           without norm at 1 layer, at every width whose deep table was run; nothing where one
///           that is begun may make it otherwise
RateAnswer deep_fails(const RatesRun& run);

}  // namespace normproof::verification::studies::published
