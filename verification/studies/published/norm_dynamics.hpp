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

/// Records quantities of every norm of an encoder over the steps of a run, from the tensors that a
/// step shows.
///
/// Computes  the quantities below, per site and step, over the n valid rows (the rows that count in
///           statistics). x is the input of the norm; mean, variance (biased) and quadratic_mean
///           are those of x per channel; v_t is one of these three at step t.
///
///           * mean_change, ... (one of each three): |v_t - v_{t-1}|_2 / |v_{t-1}|_2.
///           * mean_distance, ...: (1/D) |v_t - running|_2, with the running value before the step:
///             mean and variance of batch_norm, quadratic_mean of the power norms.
///           * running_mean_rms, running_variance_rms, running_psi2_rms: over the channels, after
///             the step.
///           * lipschitz: the Lipschitz constant of the norm as a map of x in this step, max
///             |gamma| rstd. For layer_norm and rms_norm it is the bound max |gamma| max rstd,
///             attained if gamma is constant; for power_norm_released it is multiplied by the
///             maximum of group_rstd, a bound; for none it is 1.
///           * lipschitz_batch_norm: max |gamma| / sqrt(variance + eps), the value of batch_norm on
///             the same x; gamma is 1 if there is none.
///           * lipschitz_power_norm: max |gamma| / sqrt(quadratic_mean + eps), likewise for the
///             power norms.
///           * max_weighted_gamma: (1 - alpha_backward) max Gamma.
///           * nu_largest, psi_least: max |nu| after the step, min sqrt(psi^2 + eps) = 1 / max
///             rstd.
///           * gradient_seen, gradient_bound, gradient_share, bound_channels, for power_norm, with
///             X' = grad_x / rstd, the gradient before the division by psi: the maximum over the
///             channels of rms(X'), of its bound G (1 + sqrt(Gamma_t / c)) and of their quotient,
///             at most 1; and the number of channels. Here G is the maximum of rms(g) and c the
///             minimum of Gamma over the steps so far. Only channels count in which every earlier
///             (1 - alpha) Gamma was at most 1 and every Gamma was positive.
///           * spreads, over the run, for each of the three: sqrt(mean over channels of var_t v) /
///             rms of mean_t v, where the variance divides by T - 1.
/// Source    the bound: docs/specification/study.md
class NormDynamics {
 public:
  explicit NormDynamics(const ref::model::EncoderConfig& config);

  /// Prepares for a step. `state` and `valid` must outlive end_step.
  /// Returns   the tap to pass to the step
  ref::encoder::Tap<double> begin_step(const ref::train::TrainState<double>& state,
                                       const ref::tensor::Mask& valid);

  /// Records the step. `state` is the state after it.
  void end_step(const ref::train::TrainState<double>& state);

  std::vector<SiteDynamics> result() const;

 private:
  using Vector = std::vector<double>;

  /// The values of a statistic in the batches so far, per channel.
  struct History {
    Vector last, mean, squares;  ///< last value, and the sums of Welford's algorithm
    double steps = 0;
    std::optional<double> add(const Vector& values);
    double spread() const;
  };
  struct Site {
    std::string name;
    std::map<std::string, Vector> seen;  ///< statistics of the current step
    History mean, variance, quadratic_mean;
    GradientBound bound;
    std::map<std::string, std::vector<std::optional<double>>> series;
  };

  void see(const std::string& name, const ref::tensor::Tensor<double>& values);
  void end_site(Site& site, const ref::train::TrainState<double>& after);
  void add_bound(Site& site, const Vector& gamma,
                 std::map<std::string, std::optional<double>>& numbers);
  const ref::tensor::Mask& counted() const;

  const ref::model::EncoderConfig& config_;
  std::vector<Site> sites_;
  const ref::train::TrainState<double>* before_ = nullptr;
  const ref::tensor::Mask* valid_ = nullptr;
};

}  // namespace normproof::verification::studies::published
