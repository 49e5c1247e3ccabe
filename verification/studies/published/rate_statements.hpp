#pragma once

#include <compare>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "verification/studies/published/plan.hpp"

namespace normproof::verification::studies::published {

/// Tells by learning rate whether the cells of one column of a table converged; nothing for a cell
/// that was not run. The rates are named as in study_rates().
using Column = std::function<std::optional<bool>(const std::string& rate)>;

/// Returns the highest rate at which a column converged, of those run; "no rate" if it converged at
/// none of them, "no rate of those run" if some are missing, "not run" if all are missing.
std::string highest_text(const Column& column);

/// Compares the highest rates at which two columns converge.
///
/// Computes  from the highest of study_rates() down, over those in `run`: the first rate at which
///           only one column converged decides; if both converged there, they are equal. Nothing if
///           missing cells may decide: a cell of `run` before the decision; a rate outside `run`
///           above the one at which both converged; any rate if neither converged
/// Requires  every rate for which a column has an answer is in `run`
std::optional<std::strong_ordering> compare_highest(const Column& left, const Column& right,
                                                    const std::set<std::string>& run);

/// The tables of one seed.
struct RatesRun {
  /// Whether the cell of a table, a norm and a rate converged; nothing if it was not run.
  std::function<std::optional<bool>(const TableShape&, const std::string& norm,
                                    const std::string& rate)>
      converges;
  std::set<std::string> rates;  ///< the rates for which some table has a cell
};

struct RateDecision {
  std::string numbers;             ///< the result table by table, then the undecided tables
  std::optional<bool> holds = {};  ///< nothing if missing cells may decide
};

/// Decides whether `norm` converges at higher rates than `other`.
///
/// Computes  whether it does so in at least one of the tables that were run, and at a lower rate in
///           none; nothing if an unfinished table may change the answer, or if all are equal and a
///           table is missing
RateDecision converges_at_higher_rates(const RatesRun& run, const std::string& norm,
                                       const std::string& other);

/// Decides whether deep models without norm need lower rates.
///
/// Computes  whether, at every width whose deep table was run, the highest rate at 5 layers without
///           norm is below LayerNorm's and below that at 1 layer without norm; nothing if an
///           unfinished table may change the answer
RateDecision deep_needs_lower_rates(const RatesRun& run);

}  // namespace normproof::verification::studies::published
