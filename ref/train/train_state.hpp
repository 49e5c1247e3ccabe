#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ref/encoder/parameters.hpp"
#include "ref/model/train_config.hpp"
#include "ref/train/optimizer.hpp"

namespace normproof::ref::train {

/// The complete state of a training run, which each step reads and updates.
template <class T>
struct TrainState {
  NamedTensors<T> parameters;  ///< the names and shapes of encoder::parameter_shapes
  NamedTensors<T> norms;       ///< running statistics: encoder::initial_norm_state
  OptimizerState<T> optimizer;
  std::int64_t step = 0;  ///< the number of completed steps
};

/// A function that maps the name of a parameter to its initial value if the parameter belongs to a
/// norm. For any other parameter the result is empty.
using NormValues = std::function<std::optional<double>(const std::string& name)>;

/// Returns the initial parameters of a model.
/// Source    docs/specification/training.md
/// Computes  what initial_train_state computes. The bias of a tied head has no weight in the same
///           map, so it is initialized with the fan_in of the parameter `embedding`
/// Throws    ContractError
NamedTensors<double> initial_parameters(const model::TrainConfig& config,
                                        const std::vector<encoder::ParameterShape>& shapes,
                                        const NormValues& norm_value, const std::string& embedding);

/// Returns the state before the first step.
/// Source    docs/specification/training.md
/// Computes  weights are initialized by config.initialization, weights of feed-forwards by
///           config.feed_forward_initialization, each from the random stream of its name. beta is 0
///           and gamma is 1. Biases are initialized by config.bias_initialization
/// Requires  the requirements of encoder::check_config
/// Throws    ContractError
TrainState<double> initial_train_state(const model::TrainConfig& config);

/// Returns the state with all values converted to another scalar type. The conversion is exact.
template <numeric::Real T>
TrainState<T> convert_state(const TrainState<double>& state);

/// Returns the SHA-256 of a text that describes the state. For each parameter, then for each
/// running statistic of the norms, in their order, the text has the line "<name> float64 [shape]
/// <SHA-256 of the little-endian bytes>".
std::string state_sha256(const TrainState<double>& state);

}  // namespace normproof::ref::train
