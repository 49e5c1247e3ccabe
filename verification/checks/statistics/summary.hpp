#pragma once

#include <optional>
#include <span>

#include "verification/checks/statistics/statistics.hpp"

namespace normproof::verification::checks::statistics {

/// A quantity over the steps.
struct Summary {
  double least = 0;
  double mean = 0;
  double largest = 0;
};

/// Computes  least, mean and largest of the values; the sum ascending; NaN makes all three NaN
/// Requires  (C1) at least one value
/// Throws    ContractError
Summary summarize(std::span<const double> values);

struct FluctuationSummary {
  Summary absolute, relative;
};

/// What the steps of a layer say about one of its fluctuations, such as &FollowedStep::mean;
/// nothing where no step has it.
std::optional<FluctuationSummary> summarize(const Followed& followed,
                                            std::optional<Fluctuation> FollowedStep::*fluctuation);

/// A quantity of the recursion of nu over the steps, such as &Recursion::max_theta.
std::optional<Summary> summarize(const Followed& followed, double Recursion::*quantity);

/// A quantity of the batches, such as &BatchRecord::pad_fraction.
/// Requires  (C1) at least one batch
Summary summarize(const Statistics& statistics, double BatchRecord::*quantity);

}  // namespace normproof::verification::checks::statistics
