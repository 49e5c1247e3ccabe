#include "verification/checks/evaluation/encoders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "ref/decoder/decoder_layer.hpp"
#include "ref/tensor/contract.hpp"
#include "ref/train/trainer.hpp"

namespace normproof::verification::checks::evaluation {

using ref::numeric::Clause;

namespace decoder = ref::decoder;
namespace encoder = ref::encoder;
namespace train = ref::train;
using ref::model::DecoderConfig;
using ref::model::DecoderLayerOptions;
using ref::model::EncoderConfig;
using ref::model::EncoderLayerOptions;
using ref::model::EncoderOperation;
using ref::model::EncoderOptions;
using ref::tensor::NamedTensors;
using ref::tensor::Tensor;

namespace {

bool is_decoder(const EncoderOperation& operation) {
  return std::holds_alternative<DecoderLayerOptions>(operation);
}

/// Returns the prefix that a layer's parameter names have in its model. It is empty for a whole
/// encoder.
std::string_view layer_prefix(const EncoderOperation& operation) {
  if (is_decoder(operation)) return "decoder.layers.0.";
  return std::holds_alternative<EncoderLayerOptions>(operation) ? "layers.0." : "";
}

/// Returns the smallest translation model whose decoder contains the given layer.
DecoderConfig make_smallest_translator(const EncoderConfig& config) {
  const ref::model::LayersConfig layers{config.num_heads, config.d_ff, 1, config.norm, config.norm};
  return {.source_vocab_size = 1,
          .target_vocab_size = 1,
          .d_model = config.d_model,
          .encoder = layers,
          .decoder = layers,
          .placement = config.placement,
          .activation = config.activation,
          .dropout = config.dropout};
}

std::vector<encoder::ParameterShape> parameters_of_model(const EncoderOperation& operation,
                                                         const EncoderConfig& config) {
  return is_decoder(operation) ? decoder::parameter_shapes(make_smallest_translator(config))
                               : encoder::parameter_shapes(config);
}

/// A single layer of a model. The caller uses the layer's own parameter names. This class adds the
/// prefix that the names have in the model.
template <class T>
class SingleLayer {
 public:
  SingleLayer(const EncoderOperation& operation, const EncoderTensors& inputs)
      : inputs_(inputs), prefix_(layer_prefix(operation)) {
    for (const auto& [name, values] : inputs.state)
      state_.set(prefix_ + name, ref::tensor::convert<T>(values));
    for (const auto& [name, keep] : inputs.masks) run_masks_.emplace(prefix_ + name, keep);
    // The layer does not use the other parameters of the model; they are 0.
    for (const encoder::ParameterShape& p : parameters_of_model(operation, inputs.config))
      parameters_.set(p.name, p.name.starts_with(prefix_)
                                  ? given(p.name.substr(prefix_.size()))
                                  : ref::tensor::full_tensor<T>(p.shape, T(0)));
  }

  NamedTensors<T> run_encoder_layer() {
    const auto parameters = encoder::from_named(inputs_.config, std::move(parameters_));
    encoder::EncoderLayer<T> layer(inputs_.config, parameters.layers[0], place(),
                                   make_output_callback());
    results_.set("y", layer.forward(given("x"), inputs_.valid, run(), state_));
    if (inputs_.tensors.contains("grad_y")) {
      encoder::EncoderParameters<T> gradients;
      gradients.layers.resize(1);
      results_.set("grad_x", layer.backward(given("grad_y"), run(), state_, gradients.layers[0]));
      store_gradients(encoder::to_named(std::move(gradients)));
    }
    return take();
  }

  NamedTensors<T> run_decoder_layer() {
    const DecoderConfig translator = make_smallest_translator(inputs_.config);
    const EncoderConfig config = decoder::target_side(translator);
    const auto parameters = decoder::from_named(translator, std::move(parameters_));
    const decoder::Memory<T> memory{given("memory"), inputs_.memory_valid};
    decoder::DecoderLayer<T> layer(config, parameters.layers[0], place(), make_output_callback());
    results_.set("y", layer.forward(given("x"), inputs_.valid, memory, run(), state_));
    if (inputs_.tensors.contains("grad_y")) {
      decoder::DecoderParameters<T> gradients;
      gradients.layers.resize(1);
      Tensor<T> grad_memory;
      results_.set("grad_x", layer.backward(given("grad_y"), memory, run(), state_,
                                            gradients.layers[0], grad_memory));
      results_.set("grad_memory", std::move(grad_memory));
      store_gradients(decoder::to_named(std::move(gradients)));
    }
    return take();
  }

 private:
  Tensor<T> given(const std::string& name) const {
    return ref::tensor::convert<T>(inputs_.tensors.at(name));
  }
  std::string place() const { return prefix_.substr(0, prefix_.size() - 1); }
  encoder::ModelRunSettings run() const { return {.mode = inputs_.mode, .masks = &run_masks_}; }
  encoder::TensorTap<T> make_output_callback() {
    return [this](const std::string& name, const Tensor<T>& values) {
      if (name.starts_with(prefix_) && name.ends_with("attention.weights"))
        results_.set(name.substr(prefix_.size()), values);
    };
  }
  void store_gradients(const NamedTensors<T>& gradients) {
    for (const auto& [name, values] : gradients)
      results_.set(fmt::format("grad_{}", name.substr(prefix_.size())), values);
  }
  NamedTensors<T> take() {
    for (const auto& [name, values] : state_) results_.set(name.substr(prefix_.size()), values);
    return std::move(results_);
  }

  const EncoderTensors& inputs_;
  std::string prefix_;
  std::map<std::string, ref::tensor::Mask> run_masks_;
  NamedTensors<T> parameters_, state_, results_;
};

/// Collects the results of a training step under their output names.
template <class T>
class StepResults {
 public:
  explicit StepResults(const EncoderConfig& config) : config_(config) {
    for (const encoder::ParameterShape& p : encoder::parameter_shapes(config))
      gradients_.push_back(fmt::format("grad_{}", p.name));
  }

  void see(const std::string& name, const Tensor<T>& values) {
    if (name == "grad_embedding.weight.row_ids") ids_ = values;
    if (name == "grad_embedding.weight.rows") to_full_gradient(values);
    const bool gradient = std::ranges::find(gradients_, name) != gradients_.end();
    if (gradient || name == "logits" || name == "loss") results_.set(name, values);
  }

  NamedTensors<T> take() { return std::move(results_); }

 private:
  void to_full_gradient(const Tensor<T>& rows) {
    Tensor<T> whole = ref::tensor::full_tensor<T>({config_.vocab_size, config_.d_model}, T(0));
    for (std::size_t r = 0; r < ids_.size(); ++r) {
      const auto id = static_cast<std::size_t>(ref::numeric::to_double(ids_.data()[r]));
      std::copy_n(rows.data() + r * config_.d_model, config_.d_model,
                  whole.data() + id * config_.d_model);
    }
    results_.set("grad_embedding.weight", std::move(whole));
  }

  const EncoderConfig& config_;
  std::vector<std::string> gradients_;
  Tensor<T> ids_;
  NamedTensors<T> results_;
};

template <class T>
NamedTensors<T> run_whole_encoder(const EncoderTensors& inputs) {
  if (inputs.mode != ref::model::Mode::training)
    ref::numeric::contract_failure("encoder", "mode", "is inference", "training", Clause::C1);
  const ref::model::TrainConfig config{.encoder = inputs.config};
  train::TrainState<double> given;
  given.norms = inputs.state;
  for (const encoder::ParameterShape& p : encoder::parameter_shapes(inputs.config))
    given.parameters.set(p.name, inputs.tensors.at(p.name));
  train::TrainState<T> state = train::convert_state<T>(given);
  const Tensor<double>* const weights = inputs.tensors.find("class_weights");
  const std::array<train::LabelledBatch, 1> batches = {
      {{{inputs.tokens, inputs.valid}, inputs.labels}}};
  StepResults<T> results(inputs.config);
  train::train_step<T>(
      config, batches, weights == nullptr ? Tensor<T>() : ref::tensor::convert<T>(*weights), state,
      [&](const std::string& name, const Tensor<T>& values) { results.see(name, values); });
  NamedTensors<T> all = results.take();
  for (const auto& [name, values] : state.norms) all.set(name, values);
  return all;
}

struct CommonOptions {
  EncoderConfig& config;

  void operator()(const EncoderLayerOptions& o) const {
    use_layer_options(o);
    config.causal = o.causal;
  }
  void operator()(const EncoderOptions& o) const {
    copy(o);
    config.num_layers = o.num_layers;
    config.pooling = o.pooling;
    config.positions = o.positions;
    config.scaled_embedding = o.scaled_embedding;
    config.causal = o.causal;
  }
  void operator()(const DecoderLayerOptions& o) const {
    use_layer_options(o);
    config.causal = true;
  }

 private:
  template <class Options>
  void use_layer_options(const Options& o) const {
    copy(o);
    config.dropout = o.dropout;
    config.vocab_size = config.num_classes = 1;
  }
  template <class Options>
  void copy(const Options& o) const {
    config.num_heads = o.num_heads;
    config.activation = o.activation;
    config.placement = o.placement;
    config.norm = o.norm;
  }
};

}  // namespace

EncoderConfig encoder_config(const EncoderOperation& operation, const MatrixShape& shape_of) {
  EncoderConfig config{.dropout = 0};
  std::visit(CommonOptions{config}, operation);
  const bool whole = std::holds_alternative<EncoderOptions>(operation);
  const auto extents = [&](const char* name) {
    return shape_of(name).value_or(std::pair<std::size_t, std::size_t>{0, 0});
  };
  const auto first =
      extents(whole ? "layers.0.feed_forward.first.weight" : "feed_forward.first.weight");
  config.d_ff = first.first;
  config.d_model = first.second;
  if (!whole) return config;
  config.vocab_size = extents("embedding.weight").first;
  config.num_classes = extents("head.weight").first;
  return config;
}

std::vector<encoder::ParameterShape> operation_parameters(const EncoderOperation& operation,
                                                          const EncoderConfig& config) {
  const std::string_view prefix = layer_prefix(operation);
  std::vector<encoder::ParameterShape> own;
  for (const encoder::ParameterShape& p : parameters_of_model(operation, config))
    if (p.name.starts_with(prefix)) own.push_back({p.name.substr(prefix.size()), p.shape});
  return own;
}

NamedTensors<double> operation_state(const EncoderOperation& operation,
                                     const EncoderConfig& config) {
  const std::string_view prefix = layer_prefix(operation);
  NamedTensors<double> own;
  for (const auto& [name, values] :
       is_decoder(operation) ? decoder::initial_norm_state<double>(make_smallest_translator(config))
                             : encoder::initial_norm_state<double>(config))
    if (name.starts_with(prefix)) own.set(name.substr(prefix.size()), values);
  return own;
}

std::vector<std::pair<std::string, ref::tensor::Shape>> mask_shapes(
    const EncoderOperation& operation, const EncoderConfig& config, std::size_t batch_size,
    std::size_t seq_len, std::size_t source_len) {
  if (config.dropout == 0) return {};
  std::vector<std::pair<std::string, ref::tensor::Shape>> shapes;
  const ref::tensor::Shape sublayer = {batch_size, seq_len, config.d_model};
  const auto add = [&](const std::string& attention, std::size_t keys) {
    shapes.emplace_back(attention + ".weights",
                        ref::tensor::Shape{batch_size, config.num_heads, seq_len, keys});
    shapes.emplace_back(attention + ".y", sublayer);
  };
  add(is_decoder(operation) ? "self_attention" : "attention", seq_len);
  if (is_decoder(operation)) add("cross_attention", source_len);
  shapes.emplace_back("feed_forward.active", ref::tensor::Shape{batch_size, seq_len, config.d_ff});
  shapes.emplace_back("feed_forward.y", sublayer);
  return shapes;
}

template <ref::numeric::Real T>
NamedTensors<T> run_encoder(const EncoderOperation& operation, const EncoderTensors& inputs) {
  if (std::holds_alternative<EncoderOptions>(operation)) return run_whole_encoder<T>(inputs);
  SingleLayer<T> layer(operation, inputs);
  return is_decoder(operation) ? layer.run_decoder_layer() : layer.run_encoder_layer();
}

#define NORMPROOF_INSTANTIATE(T) \
  template NamedTensors<T> run_encoder(const ref::model::EncoderOperation&, const EncoderTensors&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::verification::checks::evaluation
