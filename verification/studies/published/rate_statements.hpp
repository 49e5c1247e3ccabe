#pragma once

#include <compare>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "verification/studies/published/plan.hpp"

namespace normproof::verification::studies::published {

/// A column of a table, as a function. It returns whether the training run at a learning rate of
/// study_rates() converged, or nothing if there is no such run.
using Column = std::function<std::optional<bool>(const std::string& rate)>;

/// Returns the highest learning rate at which a column converged. If it converged at none, returns
/// "no rate", or "no rate of those run" if some training runs are missing. If all training runs are
/// missing, returns "not run".
std::string highest_rate_text(const Column& column);

/// Compares the highest learning rates at which two columns converge.
///
/// Computes  the order of the two highest rates, from the training runs at the rates in `run`. It
///           compares the columns at each of these rates, from the highest rate down, and stops at
///           the first rate at which a column converged. If only one column converged there, this
///           column has the higher rate. If both columns converged there, the highest rates are
///           equal. Missing training runs may change the answer, and the result is nothing, in
///           three cases: a training run is missing at a rate that was compared; the highest rates
///           are equal, and `run` lacks a higher rate; no column converged, and `run` lacks a rate
/// Requires  every rate for which a column has an answer is in `run`
std::optional<std::strong_ordering> compare_highest(const Column& left, const Column& right,
                                                    const std::set<std::string>& run);

/// The results of one seed in all tables.
struct RatesRun {
  /// A function that returns whether the training run for a table, norm and learning rate
  /// converged, or nothing if there is no such run.
  std::function<std::optional<bool>(const TableShape&, const std::string& norm,
                                    const std::string& rate)>
      converges;
  std::set<std::string> rates;  ///< the rates at which some table has a training run
};

struct RateDecision {
  std::string numbers;  ///< the result of each decided table, followed by the undecided tables
  std::optional<bool> holds = {};  ///< nothing if missing training runs may change the decision
};

/// Decides whether `norm` converges at higher learning rates than `other`.
///
/// Computes  true if the highest rate of `norm` is higher in at least one table that was run, and
///           lower in none. The result is nothing if an unfinished table may change the decision,
///           or if all rates are equal and a table is missing
RateDecision converges_at_higher_rates(const RatesRun& run, const std::string& norm,
                                       const std::string& other);

/// Decides whether deep models without norm need lower learning rates.
///
/// Computes  true if two conditions hold at every width whose table of 5 layers was run. The
///           highest rate of 5 layers without norm is below the highest rate of 5 layers with
///           LayerNorm. It is also below the highest rate of 1 layer without norm. The result is
///           nothing if an unfinished table may change the decision
RateDecision deep_needs_lower_rates(const RatesRun& run);

}  // namespace normproof::verification::studies::published
