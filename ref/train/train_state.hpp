#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ref/encoder/parameters.hpp"
#include "ref/model/train_config.hpp"
#include "ref/train/optimizer.hpp"

namespace normproof::ref::train {

/// All that a run carries from step to step.
template <class T>
struct TrainState {
  NamedTensors<T> parameters;  ///< encoder::parameter_shapes
  NamedTensors<T> norms;       ///< encoder::initial_norm_state
  OptimizerState<T> optimizer;
  std::int64_t step = 0;  ///< steps done
};

/// What a parameter of a norm begins with, by its name; nothing where it is no norm's.
using NormValues = std::function<std::optional<double>(const std::string& name)>;

/// Parameters before the first step.
/// Source    docs/specification/training.md
/// Computes  as initial_train_state has them. A bias whose map has no weight of its own is drawn by
///           the fan_in of `embedding`: of a tied head
/// Throws    ContractError
NamedTensors<double> initial_parameters(const model::TrainConfig& config,
                                        const std::vector<encoder::ParameterShape>& shapes,
                                        const NormValues& norm_value, const std::string& embedding);

/// Source    docs/specification/training.md
/// Computes  weights by config.initialization (the two of each feed-forward by
///           config.feed_forward_initialization), each from the random stream of its own name;
///           beta 0, gamma 1; biases by config.bias_initialization
/// Requires  those of encoder::check_config
/// Throws    ContractError
TrainState<double> initial_train_state(const model::TrainConfig& config);

/// The state in another scalar, exactly.
template <numeric::Real T>
TrainState<T> convert_state(const TrainState<double>& state);

/// SHA-256 of the lines "<name> float64 [shape] <SHA-256 of the little-endian bytes>" of every
/// parameter, then of what the norms carry, in their order.
std::string state_sha256(const TrainState<double>& state);

}  // namespace normproof::ref::train
