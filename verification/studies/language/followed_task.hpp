#pragma once

#include <string>
#include <string_view>

#include "verification/training/run_task.hpp"

namespace normproof::verification::studies::language {

/// "fluctuation.layers.0.norm1.variance": the name of a quality that FollowedTask adds begins so.
inline constexpr std::string_view kFluctuation = "fluctuation.";

/// Another task, whose steps have one quality more for each batch statistic of a norm layer that
/// keeps a running one: how far the batch's is from the running one before the step, relative.
///
/// Source    [SYG+20], figures 2 and 4
/// Computes  "fluctuation.<site>.<statistic>": ||batch - running|| / ||scale||, of `variance` and
///           `quadratic_mean` over the running one, of `mean` over the root of the running variance
///           (checks::statistics::fluctuation). No bit of a step depends on it
/// Requires  a batch a step
class FollowedTask : public training::WrappedTask {
 public:
  /// Has to stay.
  explicit FollowedTask(training::RunTask& task) : WrappedTask(task) {}

  training::TaskStep step(std::size_t k, ref::train::TrainState<double>& state,
                          const ref::encoder::Tap<double>& tap) const override;
};

}  // namespace normproof::verification::studies::language
