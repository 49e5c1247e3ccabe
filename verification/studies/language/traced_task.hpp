#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "verification/studies/language/study_data.hpp"
#include "verification/studies/published/gradient_bound.hpp"
#include "verification/training/norm_statistics.hpp"

namespace normproof::verification::studies::language {

/// The prefixes of the qualities that a NormTrace adds, such as "gradient_share.layers.0.norm1".
inline constexpr std::string_view kGradientShare = "gradient_share.";
inline constexpr std::string_view kBoundChannels = "bound_channels.";

/// Measures the inputs and gradients of every norm layer in the steps of a run, for any norm.
///
/// Source    [SYG+20], figures 2 and 4; the bound: docs/specification/study.md
/// Computes  the qualities below, per norm layer and step, over the rows that count in statistics.
///           x is the input of the layer.
///           * "fluctuation.<site>.<statistic>": ||batch - running|| / ||scale|| of the mean,
///             biased variance and quadratic_mean of x, as in FollowedTask. The running value is a
///             mean of the earlier steps, in which older ones have the weight kDecay; it starts
///             with the first step, which has no fluctuation.
///           * "gradient_share.<site>", "bound_channels.<site>", for power_norm: the maximum of
///             rms(X') over its bound, if a channel has a bound, and the share of channels that
///             have one
class NormTrace {
 public:
  /// The running_decay of batch_norm.
  static constexpr double kDecay = 0.9;

  explicit NormTrace(const training::RunConfig& config) : norms_(training::norms_of(config)) {}

  static bool requests(const std::string& name);
  /// Records a tensor that `requests` accepts. `valid` marks the rows that count; an empty mask
  /// means all.
  void see(const std::string& name, const ref::tensor::Tensor<double>& values,
           const ref::tensor::Mask& valid);
  /// Ends a step and returns its qualities. `parameters` are those at the beginning of the step.
  training::Qualities end_step(const ref::tensor::NamedTensors<double>& parameters);

 private:
  struct Site {
    std::map<std::string, ref::tensor::Tensor<double>> seen;  ///< tensors of the current step
    std::map<std::string, ref::tensor::Tensor<double>> running;
    studies::published::GradientBound bound = {};
  };
  const ref::model::PowerNormOptions* power_norm_of(const std::string& site) const;

  std::vector<std::pair<const char*, ref::model::NormOptions>> norms_;
  std::map<std::string, Site> sites_;
};

/// Forwards to a task and adds the qualities of a NormTrace to its steps. The bits of a step do not
/// depend on them. They depend on all earlier steps, so a run must be traced from its first step.
///
/// Requires  one batch per step
class TracedTask : public training::WrappedTask {
 public:
  /// Keeps references to all arguments, which must outlive it. `task` is make_task(config, data).
  TracedTask(const training::RunConfig& config, const StudyData& data, training::RunTask& task,
             NormTrace& trace)
      : WrappedTask(task), config_(config), data_(data), trace_(trace) {}

  void begin_epoch(std::uint64_t epoch) override;
  training::TaskStep step(std::size_t k, ref::train::TrainState<double>& state,
                          const ref::encoder::Tap<double>& tap) const override;

 private:
  const training::RunConfig& config_;
  const StudyData& data_;
  NormTrace& trace_;
  std::vector<ref::train::PairBatch> pairs_;  ///< batches of the epoch, for a translator
};

}  // namespace normproof::verification::studies::language
