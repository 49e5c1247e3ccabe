#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ref/encoder/parameters.hpp"
#include "ref/model/train_config.hpp"
#include "ref/train/optimizer.hpp"

namespace normproof::ref::train {

/// The whole state that a training run carries from step to step.
template <class T>
struct TrainState {
  NamedTensors<T> parameters;  ///< encoder::parameter_shapes
  NamedTensors<T> norms;       ///< encoder::initial_norm_state
  OptimizerState<T> optimizer;
  std::int64_t step = 0;  ///< number of steps done
};

/// Maps a parameter's name to the initial value if it belongs to a norm, otherwise to nothing.
using NormValues = std::function<std::optional<double>(const std::string& name)>;

/// Returns the parameters before the first step.
/// Source    docs/specification/training.md
/// Computes  as initial_train_state. The bias of a tied head has no weight of its own and is drawn
///           by the fan_in of `embedding`
/// Throws    ContractError
NamedTensors<double> initial_parameters(const model::TrainConfig& config,
                                        const std::vector<encoder::ParameterShape>& shapes,
                                        const NormValues& norm_value, const std::string& embedding);

/// Returns the state before the first step.
/// Source    docs/specification/training.md
/// Computes  weights by config.initialization, those of feed-forwards by
///           config.feed_forward_initialization, each from the random stream of its name; beta 0,
///           gamma 1; biases by config.bias_initialization
/// Requires  those of encoder::check_config
/// Throws    ContractError
TrainState<double> initial_train_state(const model::TrainConfig& config);

/// Returns the state converted to another scalar, exactly.
template <numeric::Real T>
TrainState<T> convert_state(const TrainState<double>& state);

/// Returns the SHA-256 of the lines "<name> float64 [shape] <SHA-256 of the little-endian bytes>"
/// of all parameters, then of what the norms carry, in their order.
std::string state_sha256(const TrainState<double>& state);

}  // namespace normproof::ref::train
