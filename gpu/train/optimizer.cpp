#include "gpu/train/optimizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gpu/device/launch.hpp"
#include "gpu/ops/reduce.hpp"
#include "gpu/train/optimizer_kernels.hpp"
#include "ref/model/optimizer_checks.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::gpu::train {
namespace {

using device::launch_elements;
using ref::model::AdamWOptions;
using ref::model::SgdOptions;
using ref::numeric::Clause;
using ref::numeric::contract_failure;

constexpr auto kOptimizerStep = "optimizer_step";

/// A parameter and its gradient.
struct ParameterGradient {
  std::string name;
  DeviceTensor<double> parameter;
  DeviceTensor<double> gradient;
  DeviceTensor<std::size_t> place;  ///< as in GradientSpan; for a gradient stored by rows

  GradientSpan span() const {
    return {gradient.span(), place.span(), parameter.shape().back(),
            place.is_given() ? gradient.shape()[0] : 0};
  }
};

std::vector<ParameterGradient> pair_parameters_with_gradients(const NamedDeviceTensors& parameters,
                                                              const Gradients& gradients) {
  std::vector<ParameterGradient> pairs;
  pairs.reserve(parameters.size());
  for (const auto& [name, values] : parameters) {
    if (const auto* const dense = gradients.dense.find(name)) {
      ref::tensor::check_shape(kOptimizerStep, fmt::format("gradient of {}", name), dense->shape(),
                               values.shape(), Clause::C4);
      pairs.push_back({name, values, *dense, {}});
      continue;
    }
    const std::string& own = name;
    const auto rows =
        std::ranges::find(gradients.rows, own, &std::pair<std::string, nn::RowGradient>::first);
    if (rows == gradients.rows.end())
      contract_failure(kOptimizerStep, "gradients", fmt::format("has no '{}'", name),
                       "one gradient a parameter", Clause::C3);
    const nn::RowGradient& gradient = rows->second;
    ref::tensor::check_shape(kOptimizerStep, fmt::format("gradient of {}", name),
                             gradient.values.shape(), {gradient.rows.size(), values.shape().back()},
                             Clause::C4);
    std::vector<std::size_t> place(values.shape()[0], gradient.rows.size());
    for (std::size_t r = 0; r < gradient.rows.size(); ++r) place.at(gradient.rows[r]) = r;
    pairs.push_back({name, values, gradient.values,
                     device::upload(values.device(), place.data(), {place.size()})});
  }
  if (pairs.size() != gradients.dense.size() + gradients.rows.size())
    contract_failure(kOptimizerStep, "gradients", "has others than those of the parameters",
                     "one gradient a parameter", Clause::C3);
  return pairs;
}

void check_values(const ParameterGradient& pair, bool squares) {
  DeviceTensor<double> seen = pair.gradient;
  if (squares) {
    seen = DeviceTensor<double>(seen.device(), seen.shape());
    launch_elements(seen.device(), seen.size(), Square{pair.gradient.span(), seen.span()});
  }
  const std::size_t bad = ops::find_first_not_finite(seen);
  if (bad < seen.size())
    contract_failure(
        kOptimizerStep, fmt::format("gradient of {}", pair.name),
        fmt::format("has the element {} = {}", ref::tensor::index_to_string(bad, seen.shape()),
                    device::download(pair.gradient).data()[bad]),
        squares ? "elements with finite squares" : "finite elements", Clause::C5);
}

DeviceTensor<double> moment(const OptimizerState& state, std::string_view moment,
                            const ParameterGradient& pair) {
  const std::string name = fmt::format("{}/{}", moment, pair.name);
  DeviceTensor<double> found = state.moments.get(name);
  if (!found.is_given() || found.shape() != pair.parameter.shape())
    contract_failure(kOptimizerStep, "state",
                     fmt::format("has {} '{}'", found.is_given() ? "another shape of" : "no", name),
                     fmt::format("that of initial_optimizer_state, shape {}",
                                 ref::tensor::to_string(pair.parameter.shape())),
                     Clause::C6);
  return found;
}

void parameter_step(const SgdOptions& options, double lr, std::vector<ParameterGradient>& pairs,
                    OptimizerState& state) {
  for (ParameterGradient& pair : pairs) {
    Device& device = pair.parameter.device();
    const std::size_t size = pair.parameter.size();
    if (options.momentum > 0) {
      DeviceTensor<double> velocity = moment(state, "velocity", pair);
      launch_elements(
          device, size,
          MomentumStep{pair.span(), lr, options.momentum, pair.parameter.span(), velocity.span()});
    } else {
      launch_elements(device, size, SgdStep{pair.span(), lr, pair.parameter.span()});
    }
  }
}

/// Returns beta^t for step t, computed as beta times the stored power beta^(t-1).
double next_beta_power(const OptimizerState& state, const char* name, double beta) {
  return device::download_element(state.moments.at(name)) * beta;
}
void set_beta_power(OptimizerState& state, const char* name, double power) {
  state.moments.set(name, device::full_tensor(state.moments.at(name).device(), {1}, power));
}

template <class Adam>
void parameter_step(const Adam& options, double lr, std::vector<ParameterGradient>& pairs,
                    OptimizerState& state) {
  const AdamWOptions o = ref::model::convert_to_adamw_options(options);
  for (const ParameterGradient& pair : pairs) {
    moment(state, "first_moment", pair);
    moment(state, "second_moment", pair);
  }
  const double beta1_power = next_beta_power(state, "beta1_power", o.beta1);
  const double beta2_power = next_beta_power(state, "beta2_power", o.beta2);
  set_beta_power(state, "beta1_power", beta1_power);
  set_beta_power(state, "beta2_power", beta2_power);
  for (ParameterGradient& pair : pairs) {
    DeviceTensor<double> first = moment(state, "first_moment", pair);
    DeviceTensor<double> second = moment(state, "second_moment", pair);
    launch_elements(pair.parameter.device(), pair.parameter.size(),
                    AdamStep{.g = pair.span(),
                             .decays = std::is_same_v<Adam, AdamWOptions>,
                             .beta1 = o.beta1,
                             .beta2 = o.beta2,
                             .eps = o.eps,
                             .step_size = lr / (1.0 - beta1_power),
                             .root = std::sqrt(1.0 - beta2_power),
                             .kept = 1.0 - lr * o.weight_decay,
                             .p = pair.parameter.span(),
                             .m = first.span(),
                             .v = second.span()});
  }
}

std::vector<ParameterGradient> check_and_make_pairs(const ref::model::OptimizerOptions& options,
                                                    double learning_rate,
                                                    const NamedDeviceTensors& parameters,
                                                    const Gradients& gradients) {
  ref::model::check_optimizer(options);
  ref::model::check_learning_rate(learning_rate);
  return pair_parameters_with_gradients(parameters, gradients);
}

void update_pairs(const ref::model::OptimizerOptions& options, double learning_rate,
                  std::vector<ParameterGradient>& pairs, OptimizerState& state) {
  std::visit([&](const auto& o) { parameter_step(o, learning_rate, pairs, state); }, options);
  ++state.step;
}

}  // namespace

void optimizer_step(const ref::model::OptimizerOptions& options, double learning_rate,
                    NamedDeviceTensors& parameters, const Gradients& gradients,
                    OptimizerState& state) {
  std::vector<ParameterGradient> pairs =
      check_and_make_pairs(options, learning_rate, parameters, gradients);
  const bool squares = !std::holds_alternative<SgdOptions>(options);
  for (const ParameterGradient& pair : pairs) check_values(pair, squares);
  update_pairs(options, learning_rate, pairs, state);
}

void update_parameters(const ref::model::OptimizerOptions& options, double learning_rate,
                       NamedDeviceTensors& parameters, const Gradients& gradients,
                       OptimizerState& state) {
  std::vector<ParameterGradient> pairs =
      check_and_make_pairs(options, learning_rate, parameters, gradients);
  update_pairs(options, learning_rate, pairs, state);
}

}  // namespace normproof::gpu::train
