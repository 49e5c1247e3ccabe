#pragma once

#include <optional>
#include <span>

#include "verification/checks/statistics/statistics.hpp"

namespace normproof::verification::checks::statistics {

/// The minimum, mean and maximum of a quantity over the steps.
struct Summary {
  double least = 0;
  double mean = 0;
  double largest = 0;
};

/// Summarizes the values.
///
/// Computes  minimum, mean and maximum; the sum is taken in order; any NaN makes all three NaN
/// Requires  (C1) at least one value
/// Throws    ContractError
Summary summarize(std::span<const double> values);

struct FluctuationSummary {
  Summary absolute, relative;
};

/// Summarizes one fluctuation of a layer over the steps, such as `&RecordedStep::mean`. The result
/// is empty if no step has it.
std::optional<FluctuationSummary> summarize(const RecordedScenario& followed,
                                            std::optional<Fluctuation> RecordedStep::*fluctuation);

/// Summarizes a quantity of the update of nu over the steps, such as `&NuUpdate::max_theta`. The
/// result is empty if no step has it.
std::optional<Summary> summarize(const RecordedScenario& followed, double NuUpdate::*quantity);

/// Summarizes a quantity of the batches, such as &BatchRecord::pad_fraction.
/// Requires  (C1) at least one batch
Summary summarize(const Statistics& statistics, double BatchRecord::*quantity);

}  // namespace normproof::verification::checks::statistics
