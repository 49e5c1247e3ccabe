#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ref/model/train_config.hpp"
#include "ref/train/optimizer.hpp"
#include "tests/ref/encoder/encoders.hpp"
#include "tests/ref/ops/lenses.hpp"

namespace normproof::ref::train {

using tensor::Tensor;

/// Returns the configuration of a very small encoder.
inline model::TrainConfig small_train_config(const std::string& norm = "layer_norm") {
  model::TrainConfig config;
  config.encoder = encoder::small_config(norm, model::NormPlacement::post, 1);
  config.learning_rate = 0.25;
  config.accumulation = 2;
  return config;
}

/// Returns a vector with all elements of the parameters, followed by all elements of the optimizer
/// state.
inline Tensor<double> all_values(const NamedTensors<double>& parameters,
                                 const OptimizerState<double>& state) {
  std::vector<double> values;
  for (const auto* tensors : {&parameters, &state.moments})
    for (const auto& [name, t] : *tensors) values.insert(values.end(), t.begin(), t.end());
  Tensor<double> result = tensor::empty_tensor<double>({values.size()});
  std::copy(values.begin(), values.end(), result.begin());
  return result;
}

template <class T>
NamedTensors<T> make_single_parameter(const Tensor<double>& p) {
  NamedTensors<T> parameters;
  parameters.set("p", ops::convert_elements<T>(p));
  return parameters;
}
template <class T>
Gradients<T> make_single_gradient(const Tensor<double>& g) {
  return {make_single_parameter<T>(g), {}};
}

/// Optimizes a single parameter. Its initial value is p. Runs one step for each gradient.
/// Returns the final value of the parameter.
template <class T>
Tensor<T> train_one_parameter(const model::OptimizerOptions& options, double learning_rate,
                              const Tensor<double>& p,
                              const std::vector<Tensor<double>>& gradients) {
  NamedTensors<T> parameters = make_single_parameter<T>(p);
  OptimizerState<T> state = initial_optimizer_state(options, parameters);
  for (const auto& g : gradients)
    optimizer_step(options, learning_rate, parameters, make_single_gradient<T>(g), state);
  EXPECT_EQ(state.step, static_cast<std::int64_t>(gradients.size()));
  return parameters.at("p");
}

}  // namespace normproof::ref::train
