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
  config.vocab_size = 1;  // not used here, but must be set
  config.dropout = 0;
  StackStep<T> result;
  const TensorTap<T> tap = [&](const std::string& name, const Tensor<T>& values) {
    if (!name.starts_with("grad_")) result.values[name] = values;
  };
  NamedTensors<T> state = initial_norm_state<T>(config);
  const ModelRunSettings run{.mode = inputs.mode};
  std::vector<std::unique_ptr<EncoderLayer<T>>> layers;
  layers.reserve(inputs.layers.size());
  for (const EncoderLayerParameters<T>& parameters : inputs.layers)
    layers.push_back(std::make_unique<EncoderLayer<T>>(
        config, parameters, fmt::format("layers.{}", layers.size()), tap));
  NamedNorm<T> final_site;
  const auto forward = [&](Tensor<T> x, const ModelRunSettings& of) {
    for (const auto& layer : layers) x = layer->forward(std::move(x), {}, of, state);
    if (!inputs.final_norm) return x;
    return run_norm<T>(config.norm, {}, std::move(x), {}, of.mode, "final_norm", state, final_site,
                       tap);
  };
  if (ref::tensor::is_given(inputs.before)) forward(inputs.before, {});
  result.y = forward(inputs.x, run);
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
