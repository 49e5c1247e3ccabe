#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ref/norm/norm.hpp"
#include "verification/checks/statistics/fluctuation.hpp"
#include "verification/checks/statistics/stability.hpp"

namespace normproof::verification::checks::statistics {

/// One way of normalising the batches.
struct Scenario {
  std::string name;         ///< short, for a table
  std::string description;  ///< one sentence
  ref::model::NormOptions options;
  bool masked = true;    ///< the layer is told which rows are padding
  double pad_scale = 1;  ///< the [PAD] embedding is this many times as large
  bool decides = false;  ///< its instability is a failure of the run, not a demonstration
};

/// The recursion of PowerNorm's backward in one step.
struct Recursion {
  double max_theta = 0;  ///< the largest (1 - alpha_backward) Gamma over the channels
  double max_nu = 0;     ///< the largest |nu| over the channels after the step
  double rms_nu = 0;
};

/// What one step of a layer shows. Fluctuations are against the running values before the step;
/// the first step has none.
struct FollowedStep {
  std::optional<Fluctuation> mean;            ///< batch_norm
  std::optional<Fluctuation> variance;        ///< batch_norm
  std::optional<Fluctuation> quadratic_mean;  ///< power_norm, power_norm_released
  std::optional<Recursion> recursion;         ///< the same, until nu has diverged
};

/// A layer carried from batch to batch.
///
/// Running values start at the first batch's own statistics, so that the conventional start at 0
/// and 1 plays no part (power_norm_released starts as it was released: its warm-up does the same).
/// nu is in the paper's units: where the state holds nu / (1 - alpha_backward), it is multiplied by
/// 1 - alpha_backward.
class Follower {
 public:
  /// Requires  (C1) the layer is batch_norm, power_norm or power_norm_released
  /// Throws    ContractError
  Follower(Scenario scenario, std::size_t d_model);

  /// Takes one step in training mode; the forward alone once nu has diverged.
  /// Shapes    x, grad_y [B,T,D]; valid [B,T]
  /// Throws    ContractError as norm_step
  void step(const ref::tensor::Tensor<double>& x, const ref::tensor::Tensor<double>& grad_y,
            const ref::tensor::Mask& valid);

  const Scenario& scenario() const { return scenario_; }
  const std::vector<FollowedStep>& steps() const { return steps_; }
  bool is_power_norm() const { return is_power_norm_; }

  /// True once rms nu went past 1e100.
  bool diverged() const { return diverged_; }

  /// What the last step left behind.
  const ref::norm::NormStep<double>& last() const { return last_; }
  /// The state that the last step began with.
  const ref::tensor::NamedTensors<double>& before() const { return before_; }

 private:
  ref::norm::NormStep<double> run(const ref::norm::NormInputs<double>& inputs);
  void record_batch_norm();
  void record_power_norm();

  Scenario scenario_;
  bool is_power_norm_ = true;
  bool starts_at_batch_ = true;
  double alpha_backward_ = 0;
  bool scaled_nu_ = false;
  bool diverged_ = false;
  ref::tensor::NamedTensors<double> state_, before_;
  ref::norm::NormStep<double> last_;
  std::vector<FollowedStep> steps_;
};

}  // namespace normproof::verification::checks::statistics
