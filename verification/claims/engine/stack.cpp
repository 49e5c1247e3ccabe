#include "verification/claims/engine/stack.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace normproof::verification::claims::engine {

template <class T>
StackStep<T> run_stack(const StackInputs<T>& inputs) {
  using namespace ref::encoder;
  EncoderConfig config = inputs.config;
  config.num_layers = inputs.layers.size();
  config.vocab_size = 1;  // of no concern here, and asked for
  config.dropout = 0;
  StackStep<T> result;
  const Tap<T> tap = [&](const std::string& name, const Tensor<T>& values) {
    if (!name.starts_with("grad_")) result.values[name] = values;
  };
  NamedTensors<T> state = initial_norm_state<T>(config);
  const EncoderRun run;
  std::vector<std::unique_ptr<EncoderLayer<T>>> layers;
  layers.reserve(inputs.layers.size());
  result.y = inputs.x;
  for (const EncoderLayerParameters<T>& parameters : inputs.layers) {
    layers.push_back(std::make_unique<EncoderLayer<T>>(
        config, parameters, fmt::format("layers.{}", layers.size()), tap));
    result.y = layers.back()->forward(std::move(result.y), {}, run, state);
  }
  NormSite<T> final_site;
  if (inputs.final_norm)
    result.y = run_norm<T>(config.norm, {}, std::move(result.y), {}, run.mode, "final_norm", state,
                           final_site, tap);
  if (!ref::tensor::is_given(inputs.grad_y)) return result;
  ref::norm::NormParameters<T> none;
  result.grad_x = inputs.final_norm ? run_norm_backward<T>(config.norm, inputs.grad_y, "final_norm",
                                                           state, final_site, none, tap)
                                    : inputs.grad_y;
  result.gradients.resize(layers.size());
  for (std::size_t l = layers.size(); l-- > 0;)
    result.grad_x = layers[l]->backward(std::move(result.grad_x), run, state, result.gradients[l]);
  return result;
}

template StackStep<double> run_stack(const StackInputs<double>&);
template StackStep<ref::numeric::ball> run_stack(const StackInputs<ref::numeric::ball>&);

}  // namespace normproof::verification::claims::engine
