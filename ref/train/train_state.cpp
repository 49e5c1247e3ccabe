#include "ref/train/train_state.hpp"

#include "ref/train/initialization.hpp"

namespace normproof::ref::train {
namespace {

NamedTensors<double> initial_parameters(const model::TrainConfig& config) {
  NamedTensors<double> parameters;
  for (const auto& [name, shape] : encoder::parameter_shapes(config.encoder)) {
    if (name.ends_with(".weight")) {
      const bool inside = name.find("feed_forward") != std::string::npos;
      parameters.set(
          name, initial_values(inside ? config.feed_forward_initialization : config.initialization,
                               name, shape, config.seed));
    } else {
      parameters.set(name, tensor::full_tensor<double>(shape, name.ends_with(".gamma") ? 1 : 0));
    }
  }
  return parameters;
}

template <class T>
NamedTensors<T> convert_all(const NamedTensors<double>& tensors) {
  NamedTensors<T> result;
  for (const auto& [name, values] : tensors) result.set(name, tensor::convert<T>(values));
  return result;
}

}  // namespace

TrainState<double> initial_train_state(const model::TrainConfig& config) {
  TrainState<double> state;
  state.parameters = initial_parameters(config);
  state.norms = encoder::initial_norm_state<double>(config.encoder);
  state.optimizer = initial_optimizer_state(config.optimizer, state.parameters);
  return state;
}

template <numeric::Real T>
TrainState<T> convert_state(const TrainState<double>& state) {
  return {convert_all<T>(state.parameters),
          convert_all<T>(state.norms),
          {convert_all<T>(state.optimizer.moments), state.optimizer.step},
          state.step};
}

#define NORMPROOF_INSTANTIATE(T) template TrainState<T> convert_state(const TrainState<double>&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::train
