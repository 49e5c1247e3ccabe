#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ref/norm/norm.hpp"
#include "verification/checks/statistics/fluctuation.hpp"
#include "verification/checks/statistics/stability.hpp"

namespace normproof::verification::checks::statistics {

/// A layer with its options, and whether it gets the padding mask. The study of statistics compares
/// several scenarios.
struct Scenario {
  std::string name;         ///< short, for a table
  std::string description;  ///< one sentence
  ref::model::NormOptions options;
  bool masked = true;    ///< whether the layer gets the padding mask
  double pad_scale = 1;  ///< factor on the [PAD] embedding
  bool decides = false;  ///< whether instability is an error; if not, a demonstration
};

/// The update of the state nu in PowerNorm's backward, at one step.
struct NuUpdate {
  double max_theta = 0;  ///< maximum of (1 - alpha_backward) Gamma over the channels
  double max_nu = 0;     ///< maximum of |nu| over the channels after the step
  double rms_nu = 0;
};

/// The measurements of one step. A fluctuation is a distance from the running value before the
/// step, so the first step has no fluctuations.
struct RecordedStep {
  std::optional<Fluctuation> mean;            ///< batch_norm only
  std::optional<Fluctuation> variance;        ///< batch_norm only
  std::optional<Fluctuation> quadratic_mean;  ///< power_norm and power_norm_released
  /// The update of nu. It is empty for a layer other than power_norm and power_norm_released, and
  /// after nu has diverged.
  std::optional<NuUpdate> recursion;
};

/// Runs a layer over one batch after the other and records its fluctuations and the updates of nu.
///
/// The running values start at the statistics of the first batch, so that the conventional initial
/// values 0 and 1 have no influence. For power_norm_released, the running values keep their usual
/// initial values, because the warm-up has the same effect. nu is recorded as the paper defines it:
/// if the state holds nu / (1 - alpha_backward), it is multiplied by 1 - alpha_backward.
class ScenarioRecorder {
 public:
  /// Starts a layer at its initial state.
  /// Requires  (C1) the layer is batch_norm, power_norm or power_norm_released
  /// Throws    ContractError
  ScenarioRecorder(Scenario scenario, std::size_t d_model);

  /// Runs one step in training mode. After nu has diverged, only the forward runs.
  /// Shapes    x, grad_y [B,T,D]; valid [B,T]
  /// Throws    ContractError as norm_step
  void step(const ref::tensor::Tensor<double>& x, const ref::tensor::Tensor<double>& grad_y,
            const ref::tensor::Mask& valid);

  const Scenario& scenario() const { return scenario_; }
  const std::vector<RecordedStep>& steps() const { return steps_; }
  bool is_power_norm() const { return is_power_norm_; }

  /// Whether the root mean square of nu has exceeded 1e100.
  bool diverged() const { return diverged_; }

  /// Returns the outputs and the new state of the last step.
  const ref::norm::NormStep<double>& last() const { return last_; }
  /// Returns the state before the last step.
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
  std::vector<RecordedStep> steps_;
};

}  // namespace normproof::verification::checks::statistics
