#include "ref/train/train_state.hpp"

#include "ref/train/initialization.hpp"

namespace normproof::ref::train {
namespace {

/// Whether config requests that the bias `name` of a linear map is initialized randomly. Its range
/// then depends on the fan_in of the weight [fan_out,fan_in] of the same map.
bool has_random_bias(const model::TrainConfig& config, const std::string& name) {
  return config.bias_initialization == model::BiasInitialization::fan_in_uniform &&
         name.ends_with(".bias") && name.find("attention") == std::string::npos;
}

tensor::Tensor<double> initial_bias(const model::TrainConfig& config, const std::string& name,
                                    const tensor::Shape& shape,
                                    const tensor::Tensor<double>& weight) {
  const double limit = 1 / numeric::square_root(static_cast<double>(weight.shape(1)));
  return initial_values(model::PlainUniform{.limit = limit}, name, shape, config.seed);
}

template <class T>
NamedTensors<T> convert_all_tensors(const NamedTensors<double>& tensors) {
  NamedTensors<T> result;
  for (const auto& [name, values] : tensors) result.set(name, tensor::convert<T>(values));
  return result;
}

}  // namespace

NamedTensors<double> initial_parameters(const model::TrainConfig& config,
                                        const std::vector<encoder::ParameterShape>& shapes,
                                        const NormValues& norm_value,
                                        const std::string& embedding) {
  NamedTensors<double> parameters;
  for (const auto& [name, shape] : shapes) {
    if (name.ends_with(".weight")) {
      const bool inside = name.find("feed_forward") != std::string::npos;
      parameters.set(
          name, initial_values(inside ? config.feed_forward_initialization : config.initialization,
                               name, shape, config.seed));
    } else if (has_random_bias(config, name)) {
      const std::string map = name.substr(0, name.rfind('.')) + ".weight";
      const auto* const own = parameters.find(map);
      const auto& weight = own == nullptr ? parameters.at(embedding) : *own;
      parameters.set(name, initial_bias(config, name, shape, weight));
    } else {
      parameters.set(name, tensor::full_tensor<double>(shape, norm_value(name).value_or(0)));
    }
  }
  return parameters;
}

TrainState<double> initial_train_state(const model::TrainConfig& config) {
  TrainState<double> state;
  const auto norm_value = [&](const std::string& name) -> std::optional<double> {
    const model::NormParameter* const own = encoder::norm_parameter(config.encoder, name);
    if (own == nullptr) return std::nullopt;
    return model::initial_value(config.encoder.norm, *own);
  };
  state.parameters = initial_parameters(config, encoder::parameter_shapes(config.encoder),
                                        norm_value, "embedding.weight");
  state.norms = encoder::initial_norm_state<double>(config.encoder);
  state.optimizer = initial_optimizer_state(config.optimizer, state.parameters);
  return state;
}

template <numeric::Real T>
TrainState<T> convert_state(const TrainState<double>& state) {
  return {convert_all_tensors<T>(state.parameters),
          convert_all_tensors<T>(state.norms),
          {convert_all_tensors<T>(state.optimizer.moments), state.optimizer.step},
          state.step};
}

#define NORMPROOF_INSTANTIATE(T) template TrainState<T> convert_state(const TrainState<double>&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::train
