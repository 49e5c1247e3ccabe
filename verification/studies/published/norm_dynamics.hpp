#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ref/train/trainer.hpp"
#include "verification/studies/published/gradient_bound.hpp"
#include "verification/studies/published/result.hpp"

namespace normproof::verification::studies::published {

/// Records quantities of every norm layer of an encoder over the steps of a training run. It
/// computes them from the tensors that a step passes to its tap.
///
/// Computes  the quantities below, per norm layer and step, over the valid rows (the rows that
///           count in statistics). x is the input of the norm. The three statistics are the mean,
///           the (biased) variance and the quadratic_mean of x, per channel; v_t is one of them at
///           step t. D is the number of channels.
///
///           * mean_change, variance_change, quadratic_mean_change: `|v_t - v_{t-1}|_2 /
///           |v_{t-1}|_2`.
///           * mean_distance, variance_distance, quadratic_mean_distance: `(1/D) |v_t -
///           running|_2`. `running` is the layer's running value before the step. batch_norm has
///           running mean and variance; the power norms have a running quadratic_mean.
///           * running_mean_rms, running_variance_rms, running_psi2_rms: the root mean square of
///           the running value over the channels, after the step.
///           * lipschitz: the Lipschitz constant of the norm as a function of x in this step, which
///           is `max |gamma| rstd`. For layer_norm and rms_norm it is the bound `max |gamma| max
///           rstd`, which is attained if gamma is constant. For power_norm_released it is a bound
///           too, and is multiplied by the maximum of group_rstd. Without a norm it is 1.
///           * lipschitz_batch_norm: `max |gamma| / sqrt(variance + eps)`, which is the Lipschitz
///           constant of batch_norm for the same x. gamma is 1 if the norm has none.
///           * lipschitz_power_norm: `max |gamma| / sqrt(quadratic_mean + eps)`, the corresponding
///           constant of the power norms.
///           * max_weighted_gamma: the maximum of `(1 - alpha_backward) Gamma` over the channels.
///           * nu_largest: the maximum of |nu| after the step.
///           * psi_least: the minimum of `sqrt(psi^2 + eps)`, which is 1 / max rstd.
///           * gradient_seen, gradient_bound, gradient_share, bound_channels, only for power_norm:
///           the members seen, bound, share and channels of GradientBound::ChannelMaxima.
///           * spreads, one number per statistic for the whole run: the square root of the mean of
///           `var_t v` over the channels, divided by the root mean square of `mean_t v` over the
///           channels. `mean_t v` and `var_t v` are the mean and variance of a channel over the T
///           steps; the variance divides by T - 1.
/// Source    the bound: docs/specification/study.md
class NormDynamics {
 public:
  explicit NormDynamics(const ref::model::EncoderConfig& config);

  /// Prepares for a training step. `state` and `valid` must exist until end_step().
  /// Returns   the tap to pass to the step
  ref::encoder::TensorTap<double> begin_step(const ref::train::TrainState<double>& state,
                                             const ref::tensor::Mask& valid);

  /// Records the quantities of the step. `state` is the training state after the step.
  void end_step(const ref::train::TrainState<double>& state);

  std::vector<NormLayerDynamics> result() const;

 private:
  using Vector = std::vector<double>;

  /// Mean and variance of a statistic over the recorded steps, per channel.
  struct StatisticHistory {
    /// The value at the last step, and the two accumulators of Welford's algorithm: the mean, and
    /// the sum of squared deviations from the mean.
    Vector last, mean, squares;
    double steps = 0;
    std::optional<double> add(const Vector& values);
    double spread() const;
  };
  struct NormLayerHistory {
    std::string name;
    std::map<std::string, Vector> seen;  ///< statistics that were recorded in the current step
    StatisticHistory mean, variance, quadratic_mean;
    GradientBound bound;
    std::map<std::string, std::vector<std::optional<double>>> series;
  };

  void see(const std::string& name, const ref::tensor::Tensor<double>& values);
  void finish_layer(NormLayerHistory& site, const ref::train::TrainState<double>& after);
  void add_bound(NormLayerHistory& site, const Vector& gamma,
                 std::map<std::string, std::optional<double>>& numbers);
  const ref::tensor::Mask& counted_rows() const;

  const ref::model::EncoderConfig& config_;
  std::vector<NormLayerHistory> sites_;
  const ref::train::TrainState<double>* before_ = nullptr;
  const ref::tensor::Mask* valid_ = nullptr;
};

}  // namespace normproof::verification::studies::published
