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

/// "gradient_share.layers.0.norm1": the names of qualities that a NormTrace adds begin so.
inline constexpr std::string_view kGradientShare = "gradient_share.";
inline constexpr std::string_view kBoundChannels = "bound_channels.";

/// What every norm layer takes and gives back in the steps of a run, whatever the norm.
///
/// Source    [SYG+20], figures 2 and 4; the bound: docs/specification/study.md
/// Computes  per norm layer and step, over the rows that statistics count, x what the layer takes:
///           "fluctuation.<site>.<statistic>": ||batch - running|| / ||scale|| of x's mean, biased
///           variance and quadratic_mean, as FollowedTask has it, running a mean of the steps
///           before with kDecay for the older ones, begun with the first step's; none at that step.
///           "gradient_share.<site>", "bound_channels.<site>": of power_norm, the largest quotient
///           of rms(X') and its bound, where a channel has one, and the share of channels that do
class NormTrace {
 public:
  /// The running_decay of batch_norm.
  static constexpr double kDecay = 0.9;

  explicit NormTrace(const training::RunConfig& config) : norms_(training::norms_of(config)) {}

  static bool asks_for(const std::string& name);
  /// A tensor that asks_for has; `valid` are the rows that count, none: all.
  void see(const std::string& name, const ref::tensor::Tensor<double>& values,
           const ref::tensor::Mask& valid);
  /// After a step, with the parameters that it began with.
  training::Qualities end_step(const ref::tensor::NamedTensors<double>& parameters);

 private:
  struct Site {
    std::map<std::string, ref::tensor::Tensor<double>> seen;  ///< of this step
    std::map<std::string, ref::tensor::Tensor<double>> running;
    studies::published::GradientBound bound = {};
  };
  const ref::model::PowerNormOptions* power_norm_of(const std::string& site) const;

  std::vector<std::pair<const char*, ref::model::NormOptions>> norms_;
  std::map<std::string, Site> sites_;
};

/// Another task, whose steps have the qualities of a NormTrace too. No bit of a step depends on
/// them; they depend on all steps before, so that a run is traced from its first.
///
/// Requires  a batch a step
class TracedTask : public training::WrappedTask {
 public:
  /// All have to stay; `task` is make_task(config, data).
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
  std::vector<ref::translation::PairBatch> pairs_;  ///< of the epoch, of a translator
};

}  // namespace normproof::verification::studies::language
