#pragma once

#include <string>
#include <string_view>

#include "verification/training/run_task.hpp"

namespace normproof::verification::studies::language {

/// The prefix of the qualities that FollowedTask adds, such as
/// "fluctuation.layers.0.norm1.variance".
inline constexpr std::string_view kFluctuation = "fluctuation.";

/// Forwards to a task and adds a quality to its steps for each batch statistic of a norm layer that
/// keeps a running one: the relative distance of the batch's statistic from the running one before
/// the step.
///
/// Source    [SYG+20], figures 2 and 4
/// Computes  "fluctuation.<site>.<statistic>": ||batch - running|| / ||scale||. The scale of
///           `variance` and `quadratic_mean` is the running statistic, that of `mean` the root of
///           the running variance (checks::statistics::fluctuation). The bits of a step do not
///           depend on it
/// Requires  one batch per step
class FollowedTask : public training::WrappedTask {
 public:
  /// Keeps a reference to the task, which must outlive it.
  explicit FollowedTask(training::RunTask& task) : WrappedTask(task) {}

  training::TaskStep step(std::size_t k, ref::train::TrainState<double>& state,
                          const ref::encoder::Tap<double>& tap) const override;
};

}  // namespace normproof::verification::studies::language
