#pragma once

#include <string>
#include <string_view>

#include "verification/training/run_task.hpp"

namespace normproof::verification::studies::language {

/// The beginning of the names of the quality measures that FluctuationTask adds, such as
/// "fluctuation.layers.0.norm1.variance".
inline constexpr std::string_view kFluctuation = "fluctuation.";

/// Forwards to another task, and adds quality measures to its training steps: the fluctuation of
/// each batch statistic for which a norm layer keeps a running value. The fluctuation is the
/// relative distance of the batch statistic from the running value before the step.
///
/// Source    [SYG+20], figures 2 and 4
/// Computes  "fluctuation.<norm layer>.<statistic>" = ||batch - running|| / ||scale||, where
///           `batch` is the batch statistic and `running` the running value. For `variance` and
///           `quadratic_mean`, `scale` is the running value. For `mean`, it is the square root of
///           the running variance (checks::statistics::fluctuation). The measurement does not
///           change the bits of the training
/// Requires  one batch per step
class FluctuationTask : public training::ForwardingTask {
 public:
  /// Keeps a reference to `task`, which must outlive this object.
  explicit FluctuationTask(training::RunTask& task) : ForwardingTask(task) {}

  training::TaskStepResult step(std::size_t k, ref::train::TrainState<double>& state,
                                const ref::encoder::TensorTap<double>& tap) const override;
};

}  // namespace normproof::verification::studies::language
