#include "verification/checks/evaluation/optimizers.hpp"

#include <fmt/format.h>

#include <utility>

#include "ref/train/optimizer.hpp"
#include "verification/checks/evaluation/stacked.hpp"

namespace normproof::verification::checks::evaluation {

using ref::numeric::Clause;

namespace train = ref::train;
using ref::model::OptimizerOptions;
using ref::tensor::NamedTensors;
using ref::tensor::Tensor;

namespace {

constexpr const char* kParameter = "parameter";
constexpr const char* kIterations = "iterations";

std::string train_moment_name(const std::string& moment) {
  return fmt::format("{}/{}", moment, kParameter);
}

std::int64_t read_iterations(const OptimizerTensors& inputs) {
  constexpr double kMaxIterations = 1e6;
  const double given = inputs.state.at(kIterations).data()[0];
  const auto count = given >= 0 && given <= kMaxIterations ? static_cast<std::int64_t>(given) : -1;
  if (count < 0 || static_cast<double>(count) != given)
    ref::numeric::contract_failure("optimizer", kIterations, fmt::format("is {}", given),
                                   "a whole number from 0 to 1e6", Clause::C1);
  return count;
}

/// Returns beta^count, computed by repeated multiplication.
template <class T>
Tensor<T> compute_power(double beta, std::int64_t count) {
  Tensor<T> power = ref::tensor::full_tensor<T>({1}, T(1));
  for (std::int64_t i = 0; i < count; ++i) power.data()[0] *= T(beta);
  return power;
}

/// The constants beta1 and beta2 of an optimizer; both are absent for SGD.
struct Betas {
  std::vector<double> operator()(const ref::model::SgdOptions&) const { return {}; }
  template <class Adam>
  std::vector<double> operator()(const Adam& options) const {
    return {options.beta1, options.beta2};
  }
};

template <class T>
train::OptimizerState<T> make_state_before_step(const OptimizerOptions& options,
                                                const OptimizerTensors& inputs,
                                                const NamedTensors<T>& parameters) {
  train::OptimizerState<T> state = train::initial_optimizer_state<T>(options, parameters);
  state.step = read_iterations(inputs);
  for (const std::string& moment : moment_names(options))
    state.moments.at(train_moment_name(moment)) = ref::tensor::convert<T>(inputs.state.at(moment));
  const std::vector<double> betas = std::visit(Betas{}, options);
  for (std::size_t i = 0; i < betas.size(); ++i)
    state.moments.at(fmt::format("beta{}_power", i + 1)) = compute_power<T>(betas[i], state.step);
  return state;
}

}  // namespace

std::vector<std::string> moment_names(const OptimizerOptions& options) {
  const std::string suffix = train_moment_name("");
  NamedTensors<double> one;
  one.set(kParameter, ref::tensor::full_tensor<double>({1}, 0));
  std::vector<std::string> names;
  for (const std::string& name :
       train::initial_optimizer_state<double>(options, one).moments.names())
    if (name.ends_with(suffix)) names.push_back(name.substr(0, name.size() - suffix.size()));
  return names;
}

template <ref::numeric::Real T>
NamedTensors<T> run_optimizer(const ref::model::OptimizerOperation& operation,
                              const OptimizerTensors& inputs, bool stacked) {
  const std::size_t steps = inputs.gradients.size();
  NamedTensors<T> parameters, results;
  parameters.set(kParameter, ref::tensor::convert<T>(inputs.parameter));
  auto state = make_state_before_step<T>(operation.optimizer, inputs, parameters);
  for (std::size_t s = 0; s < steps; ++s) {
    train::Gradients<T> gradients;
    gradients.dense.set(kParameter, ref::tensor::convert<T>(inputs.gradients[s]));
    train::optimizer_step<T>(operation.optimizer, operation.learning_rate, parameters, gradients,
                             state);
    const auto keep = [&](const std::string& name, const Tensor<T>& values) {
      if (stacked)
        store_step(results, name, values, s, steps);
      else
        results.set(name, values);
    };
    keep(kParameter, parameters.at(kParameter));
    for (const std::string& moment : moment_names(operation.optimizer))
      keep(moment, state.moments.at(train_moment_name(moment)));
    keep(kIterations, ref::tensor::full_tensor<T>({1}, T(static_cast<double>(state.step))));
  }
  return results;
}

#define NORMPROOF_INSTANTIATE(T)                                                \
  template NamedTensors<T> run_optimizer(const ref::model::OptimizerOperation&, \
                                         const OptimizerTensors&, bool);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::verification::checks::evaluation
