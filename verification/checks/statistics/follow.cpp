#include "verification/checks/statistics/follow.hpp"

#include <cmath>
#include <utility>
#include <variant>

#include "ref/numeric/errors.hpp"
#include "ref/numeric/square_root.hpp"

namespace normproof::verification::checks::statistics {

using ref::numeric::Clause;

namespace model = ref::model;
using ref::norm::NormInputs;
using ref::norm::NormStep;
using ref::tensor::Mask;
using ref::tensor::NamedTensors;
using ref::tensor::Tensor;

namespace {

constexpr double kDivergenceThreshold = 1e100;  // small enough that its square is finite

double largest_magnitude(const Tensor<double>& v) {
  double largest = 0;
  for (const double value : v)
    if (!(std::fabs(value) <= largest)) largest = std::fabs(value);
  return largest;
}

Tensor<double> scaled(const Tensor<double>& v, double factor) {
  Tensor<double> result = v;
  for (double& value : result) value *= factor;
  return result;
}

Tensor<double> square_roots(const Tensor<double>& v) {
  Tensor<double> result = v;
  for (double& value : result) value = ref::numeric::square_root(value);
  return result;
}

}  // namespace

ScenarioRecorder::ScenarioRecorder(Scenario scenario, std::size_t d_model)
    : scenario_(std::move(scenario)) {
  if (const auto* paper = std::get_if<model::PowerNormOptions>(&scenario_.options)) {
    alpha_backward_ = paper->alpha_backward;
  } else if (const auto* released =
                 std::get_if<model::PowerNormReleasedOptions>(&scenario_.options)) {
    alpha_backward_ = released->alpha_backward;
    scaled_nu_ = released->scaled_nu;
    starts_at_batch_ = false;
  } else if (std::holds_alternative<model::BatchNormOptions>(scenario_.options)) {
    is_power_norm_ = false;
  } else {
    ref::numeric::contract_failure("Follower", "scenario.options",
                                   "is " + model::norm_name(scenario_.options),
                                   "batch_norm, power_norm or power_norm_released", Clause::C1);
  }
  state_ = ref::norm::initial_state<double>(scenario_.options, d_model);
}

NormStep<double> ScenarioRecorder::run(const NormInputs<double>& inputs) {
  return ref::norm::norm_step<double>(scenario_.options, inputs, state_);
}

void ScenarioRecorder::step(const Tensor<double>& x, const Tensor<double>& grad_y,
                            const Mask& valid) {
  NormInputs<double> inputs{.x = x};
  if (scenario_.masked) inputs.valid = valid;
  if (steps_.empty() && starts_at_batch_) {
    const NormStep<double> first = run(inputs);
    if (is_power_norm_) {
      state_.set("running_psi2", first.outputs.at("quadratic_mean"));
    } else {
      state_.set("running_mean", first.outputs.at("mean"));
      state_.set("running_variance", first.outputs.at("biased_variance"));
    }
  }
  if (is_power_norm_ && !diverged_) inputs.grad_y = grad_y;
  last_ = run(inputs);
  before_ = std::exchange(state_, last_.state);
  steps_.emplace_back();
  if (is_power_norm_) {
    record_power_norm();
  } else {
    record_batch_norm();
  }
}

void ScenarioRecorder::record_batch_norm() {
  if (steps_.size() == 1) return;
  const auto& running_variance = before_.at("running_variance");
  steps_.back().mean = fluctuation(last_.outputs.at("mean"), before_.at("running_mean"),
                                   square_roots(running_variance));
  steps_.back().variance =
      fluctuation(last_.outputs.at("biased_variance"), running_variance, running_variance);
}

void ScenarioRecorder::record_power_norm() {
  RecordedStep& step = steps_.back();
  if (steps_.size() > 1) {
    const auto& running = before_.at("running_psi2");
    step.quadratic_mean = fluctuation(last_.outputs.at("quadratic_mean"), running, running);
  }
  if (diverged_) return;
  const double weight = 1 - alpha_backward_;
  NuUpdate recursion;
  recursion.max_theta = weight * largest_magnitude(last_.outputs.at("mean_x_hat_squared"));
  const Tensor<double> nu = scaled(state_.at("nu"), scaled_nu_ ? weight : 1);
  recursion.max_nu = largest_magnitude(nu);
  recursion.rms_nu = euclidean_norm(nu) / ref::numeric::square_root(static_cast<double>(nu.size()));
  diverged_ = !(recursion.rms_nu <= kDivergenceThreshold);
  step.recursion = recursion;
}

}  // namespace normproof::verification::checks::statistics
