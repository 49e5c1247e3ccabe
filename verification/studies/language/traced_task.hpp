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

/// These constants are the beginnings of the names of the quality measures that NormTrace adds,
/// such as "gradient_share.layers.0.norm1".
inline constexpr std::string_view kGradientSharePrefix = "gradient_share.";
inline constexpr std::string_view kBoundChannelsPrefix = "bound_channels.";

/// Measures the inputs and gradients of every norm layer during the steps of a training run, for
/// any norm.
///
/// Source    [SYG+20], figures 2 and 4; the bound: docs/specification/study.md
/// Computes  the following quality measures per norm layer and step, over the rows that count in
///           statistics. x is the input of the layer.
///           * "fluctuation.<norm layer>.<statistic>": `||batch - running|| / ||scale||`, as in
///           FluctuationTask, for the mean, biased variance and quadratic_mean of x. `running` is
///           an exponential moving average over the earlier steps, with the factor kDecay. It is
///           initialized by the first step, which has no fluctuation.
///           * "gradient_share.<norm layer>", only for power_norm: the maximum of rms(X')
///           divided by its bound, over the channels that have a bound. X' = grad_x / rstd is the
///           gradient before the division by psi.
///           * "bound_channels.<norm layer>", only for power_norm: the fraction of channels that
///           have a bound
class NormTrace {
 public:
  /// The factor of the moving averages. It equals the running_decay of batch_norm.
  static constexpr double kDecay = 0.9;

  explicit NormTrace(const training::RunConfig& config) : norms_(training::model_norms(config)) {}

  static bool requests(const std::string& name);
  /// Records a tensor of the current step for which `requests` is true. `valid` marks the rows that
  /// count in statistics. If it is empty, all rows count.
  void record(const std::string& name, const ref::tensor::Tensor<double>& values,
              const ref::tensor::Mask& valid);
  /// Ends the current step and returns its quality measures. `parameters` are the model's
  /// parameters before the step.
  training::Qualities end_step(const ref::tensor::NamedTensors<double>& parameters);

 private:
  struct NormLayerHistory {
    /// Tensors that were recorded in the current step.
    std::map<std::string, ref::tensor::Tensor<double>> seen;
    std::map<std::string, ref::tensor::Tensor<double>> running;
    studies::published::GradientBound bound = {};
  };
  const ref::model::PowerNormOptions* find_power_norm_options(const std::string& site) const;

  std::vector<std::pair<const char*, ref::model::NormOptions>> norms_;
  std::map<std::string, NormLayerHistory> sites_;
};

/// Forwards to another task, and adds the quality measures of a NormTrace to its training steps.
/// The measures depend on all earlier steps, so a training run must be traced from its first step.
/// The measurement does not change the bits of the training.
///
/// Requires  one batch per step
class NormTracingTask : public training::ForwardingTask {
 public:
  /// Keeps references to all arguments, which must outlive this object. `task` must be the result
  /// of make_task(config, data).
  NormTracingTask(const training::RunConfig& config, const StudyData& data, training::RunTask& task,
                  NormTrace& trace)
      : ForwardingTask(task), config_(config), data_(data), trace_(trace) {}

  void begin_epoch(std::uint64_t epoch) override;
  training::TaskStepResult step(std::size_t k, ref::train::TrainState<double>& state,
                                const ref::encoder::TensorTap<double>& tap) const override;

 private:
  const training::RunConfig& config_;
  const StudyData& data_;
  NormTrace& trace_;
  std::vector<ref::train::PairBatch> pairs_;  ///< batches of the epoch, only for a translator
};

}  // namespace normproof::verification::studies::language
