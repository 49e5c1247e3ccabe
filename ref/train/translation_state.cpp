#include "ref/train/translation.hpp"

namespace normproof::ref::train {

TrainState<double> initial_translation_state(const TranslationConfig& config) {
  TrainState<double> state;
  state.parameters = initial_parameters(
      config.training, decoder::parameter_shapes(config.model),
      [&](const std::string& name) { return decoder::initial_norm_value(config.model, name); },
      "decoder.embedding.weight");
  state.norms = decoder::initial_norm_state<double>(config.model);
  state.optimizer = initial_optimizer_state(config.training.optimizer, state.parameters);
  return state;
}

}  // namespace normproof::ref::train
