#include "verification/evaluation/encoders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "ref/tensor/contract.hpp"
#include "ref/train/trainer.hpp"

namespace normproof::verification::evaluation {

using ref::numeric::Clause;

namespace encoder = ref::encoder;
namespace train = ref::train;
using ref::model::EncoderConfig;
using ref::model::EncoderLayerOptions;
using ref::model::EncoderOperation;
using ref::model::EncoderOptions;
using ref::tensor::NamedTensors;
using ref::tensor::Tensor;

namespace {

constexpr std::string_view kOnlyLayer = "layers.0.";

bool is_layer_operation(const EncoderOperation& operation) {
  return std::holds_alternative<EncoderLayerOptions>(operation);
}

/// The layer's parameters; what else an encoder has is 0, and takes no part.
template <class T>
encoder::EncoderParameters<T> layer_parameters(const EncoderOperation& operation,
                                               const EncoderTensors& inputs) {
  NamedTensors<T> named;
  for (const encoder::ParameterShape& p : encoder::parameter_shapes(inputs.config)) {
    const std::optional<std::string> own = name_in(operation, p.name);
    named.set(p.name, own ? ref::tensor::convert<T>(inputs.tensors.at(*own))
                          : ref::tensor::full_tensor<T>(p.shape, T(0)));
  }
  return encoder::from_named(inputs.config, std::move(named));
}

template <class T>
NamedTensors<T> run_one_layer(const EncoderOperation& operation, const EncoderTensors& inputs) {
  const encoder::EncoderParameters<T> parameters = layer_parameters<T>(operation, inputs);
  NamedTensors<T> results, state;  // under the names of ref/encoder
  for (const auto& [name, values] : inputs.state)
    state.set(fmt::format("{}{}", kOnlyLayer, name), ref::tensor::convert<T>(values));
  const encoder::Tap<T> tap = [&](const std::string& name, const Tensor<T>& values) {
    if (name == "layers.0.attention.weights") results.set("attention.weights", values);
  };
  encoder::EncoderLayer<T> layer(inputs.config, parameters.layers[0], "layers.0", tap);
  std::map<std::string, ref::tensor::Mask> masks;  // under the names of ref/encoder
  for (const auto& [name, keep] : inputs.masks)
    masks.emplace(fmt::format("{}{}", kOnlyLayer, name), keep);
  const encoder::EncoderRun run{.mode = inputs.mode, .masks = &masks};
  results.set("y", layer.forward(ref::tensor::convert<T>(inputs.tensors.at("x")), inputs.valid, run,
                                 state));
  if (const Tensor<double>* const grad_y = inputs.tensors.find("grad_y")) {
    encoder::EncoderParameters<T> gradients;
    gradients.layers.resize(1);
    results.set("grad_x",
                layer.backward(ref::tensor::convert<T>(*grad_y), run, state, gradients.layers[0]));
    for (const auto& [name, values] : encoder::to_named(std::move(gradients)))
      results.set(fmt::format("grad_{}", name.substr(kOnlyLayer.size())), values);
  }
  for (const auto& [name, values] : state) results.set(name.substr(kOnlyLayer.size()), values);
  return results;
}

/// What a step of training shows of its results.
template <class T>
class StepResults {
 public:
  explicit StepResults(const EncoderConfig& config) : config_(config) {
    for (const encoder::ParameterShape& p : encoder::parameter_shapes(config))
      gradients_.push_back(fmt::format("grad_{}", p.name));
  }

  void see(const std::string& name, const Tensor<T>& values) {
    if (name == "grad_embedding.weight.row_ids") ids_ = values;
    if (name == "grad_embedding.weight.rows") spread(values);
    const bool gradient = std::ranges::find(gradients_, name) != gradients_.end();
    if (gradient || name == "logits" || name == "loss") results_.set(name, values);
  }

  NamedTensors<T> take() { return std::move(results_); }

 private:
  void spread(const Tensor<T>& rows) {
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
NamedTensors<T> run_whole(const EncoderTensors& inputs) {
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
    copy(o);
    config.dropout = o.dropout;
    config.vocab_size = config.num_classes = 1;
  }
  void operator()(const EncoderOptions& o) const {
    copy(o);
    config.num_layers = o.num_layers;
    config.pooling = o.pooling;
    config.positions = o.positions;
  }

 private:
  template <class Options>
  void copy(const Options& o) const {
    config.num_heads = o.num_heads;
    config.activation = o.activation;
    config.placement = o.placement;
    config.norm = o.norm;
    config.causal = o.causal;
  }
};

}  // namespace

EncoderConfig encoder_config(const EncoderOperation& operation, const MatrixShape& shape_of) {
  EncoderConfig config{.dropout = 0};
  std::visit(CommonOptions{config}, operation);
  const bool layer = is_layer_operation(operation);
  const auto extents = [&](const char* name) {
    return shape_of(name).value_or(std::pair<std::size_t, std::size_t>{0, 0});
  };
  const auto first =
      extents(layer ? "feed_forward.first.weight" : "layers.0.feed_forward.first.weight");
  config.d_ff = first.first;
  config.d_model = first.second;
  if (layer) return config;
  config.vocab_size = extents("embedding.weight").first;
  config.num_classes = extents("head.weight").first;
  return config;
}

std::optional<std::string> name_in(const EncoderOperation& operation, const std::string& name) {
  if (!is_layer_operation(operation)) return name;
  if (!name.starts_with(kOnlyLayer)) return std::nullopt;
  return name.substr(kOnlyLayer.size());
}

std::vector<std::pair<std::string, ref::tensor::Shape>> mask_shapes(const EncoderConfig& config,
                                                                    std::size_t batch_size,
                                                                    std::size_t seq_len) {
  if (config.dropout == 0) return {};
  const ref::tensor::Shape sublayer = {batch_size, seq_len, config.d_model};
  return {{"attention.weights", {batch_size, config.num_heads, seq_len, seq_len}},
          {"attention.y", sublayer},
          {"feed_forward.active", {batch_size, seq_len, config.d_ff}},
          {"feed_forward.y", sublayer}};
}

template <ref::numeric::Real T>
NamedTensors<T> run_encoder(const EncoderOperation& operation, const EncoderTensors& inputs) {
  return is_layer_operation(operation) ? run_one_layer<T>(operation, inputs) : run_whole<T>(inputs);
}

#define NORMPROOF_INSTANTIATE(T) \
  template NamedTensors<T> run_encoder(const ref::model::EncoderOperation&, const EncoderTensors&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::verification::evaluation
