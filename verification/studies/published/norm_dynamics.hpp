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

/// What every norm of an encoder does in the steps of a run, from the tensors that a step shows.
///
/// Computes  per site and step, over the rows that statistics count (V, n of them), x what the norm
///           takes, channel by channel mean, variance (biased) and quadratic_mean of x:
///
///           mean_change, ...        |v_t - v_{t-1}|_2 / |v_{t-1}|_2 of each of the three
///           mean_distance, ...      (1/D) |v_t - running|_2, running as the step finds it: mean
///                                   and variance of batch_norm, quadratic_mean of the power norms
///           running_mean_rms, running_variance_rms, running_psi2_rms   over the channels, after
///                                   the step
///           lipschitz               of the norm as a map of x in this step: max |gamma| rstd; of
///                                   layer_norm and rms_norm a bound, max |gamma| max rstd,
///                                   attained where gamma is constant; of power_norm_released times
///                                   the largest group_rstd, a bound; 1 of none
///           lipschitz_batch_norm    max |gamma| / sqrt(variance + eps), what batch_norm would have
///                                   on the same x, gamma 1 where there is none
///           lipschitz_power_norm    max |gamma| / sqrt(quadratic_mean + eps), the same of power
///                                   norms
///           max_weighted_gamma      (1 - alpha_backward) max Gamma
///           nu_largest, psi_least   max |nu| after the step, min sqrt(psi^2 + eps) = 1 / max rstd
///           gradient_seen, gradient_bound, gradient_share, bound_channels   of power_norm: with
///                                   X' = grad_x / rstd, the gradient before the division by psi,
///                                   the largest rms(X') of a channel; the largest bound
///                                   G (1 + sqrt(Gamma_t / c)) of it, G = max rms(g), c = min Gamma
///                                   of the steps until now; the largest quotient of the two, at
///                                   most 1; and of how many channels, those in which every earlier
///                                   (1 - alpha) Gamma was at most 1 and every Gamma positive
///
///           spreads, over the run: sqrt(mean over channels of var_t v) / rms of mean_t v, of each
///           of the three, the variance with T - 1
/// Source    the bound: docs/specification/study.md
class NormDynamics {
 public:
  explicit NormDynamics(const ref::model::EncoderConfig& config);

  /// Before a step. `state` and `valid` have to stay until end_step.
  /// Returns  the tap that the step takes
  ref::encoder::Tap<double> begin_step(const ref::train::TrainState<double>& state,
                                       const ref::tensor::Mask& valid);

  /// After it, with the state as it is then.
  void end_step(const ref::train::TrainState<double>& state);

  std::vector<SiteDynamics> result() const;

 private:
  using Vector = std::vector<double>;

  /// A statistic of the batches so far, channel by channel.
  struct History {
    Vector last, mean, squares;  ///< Welford's sums
    double steps = 0;
    std::optional<double> add(const Vector& values);
    double spread() const;
  };
  struct Site {
    std::string name;
    std::map<std::string, Vector> seen;  ///< of this step
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
