#include "verification/checks/agreement/device_encoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "gpu/decoder/decoder_layer.hpp"
#include "gpu/train/cross_entropy.hpp"
#include "gpu/train/trainer.hpp"

namespace normproof::verification::checks::agreement {
namespace {

namespace device = gpu::device;
namespace model = ref::model;
using device::Device;
using device::DeviceMask;
using device::DeviceTensor;
using device::download;
using device::NamedDeviceTensors;
using device::upload;
using ref::tensor::Tensor;

/// Returns the full gradient [V,D] of an embedding. Rows that `gradient` does not contain are 0.
DeviceTensor<double> full_gradient(Device& to, const gpu::nn::RowGradient& gradient,
                                   const model::EncoderConfig& config) {
  Tensor<double> whole = ref::tensor::full_tensor<double>({config.vocab_size, config.d_model}, 0.0);
  const Tensor<double> rows_there = download(gradient.values);
  for (std::size_t r = 0; r < gradient.rows.size(); ++r)
    std::copy_n(rows_there.data() + r * config.d_model, config.d_model,
                whole.data() + gradient.rows[r] * config.d_model);
  return upload(to, whole);
}

/// A single layer of a model. The caller uses the layer's own parameter names, such as
/// "norm1.gamma". This class adds the prefix that the names have in the model.
class SingleLayer {
 public:
  SingleLayer(Device& to, const checks::evaluation::EncoderTensors& in, std::string place,
              const gpu::ops::Products& products)
      : to_(to), in_(in), place_(std::move(place)) {
    for (const auto& [name, values] : in.tensors)
      parameters_.set(fmt::format("{}.{}", place_, name), upload(to, values));
    for (const auto& [name, values] : in.state)
      state_.set(fmt::format("{}.{}", place_, name), upload(to, values));
    for (const auto& [name, keep] : in.masks)
      masks_.emplace(fmt::format("{}.{}", place_, name), upload(to, keep));
    run_.mode = in.mode;
    run_.masks = &masks_;
    run_.products = &products;
  }
  SingleLayer(const SingleLayer&) = delete;
  SingleLayer& operator=(const SingleLayer&) = delete;

  NamedDeviceTensors run_encoder_layer() {
    gpu::encoder::EncoderLayer layer(in_.config, parameters_, place_);
    got_.set("y", layer.forward(given("x"), DeviceMask(to_, in_.valid), run_, state_));
    got_.set("attention.weights", layer.attention_weights());
    if (in_.tensors.contains("grad_y"))
      got_.set("grad_x", layer.backward(given("grad_y"), run_, state_, gradients_));
    return collect_outputs();
  }

  NamedDeviceTensors run_decoder_layer() {
    const gpu::decoder::Memory memory{given("memory"), DeviceMask(to_, in_.memory_valid)};
    gpu::decoder::DecoderLayer layer(in_.config, parameters_, place_);
    got_.set("y", layer.forward(given("x"), DeviceMask(to_, in_.valid), memory, run_, state_));
    got_.set("self_attention.weights", layer.self_attention_weights());
    got_.set("cross_attention.weights", layer.cross_attention_weights());
    if (in_.tensors.contains("grad_y")) {
      DeviceTensor<double> grad_memory;
      got_.set("grad_x",
               layer.backward(given("grad_y"), memory, run_, state_, gradients_, grad_memory));
      got_.set("grad_memory", grad_memory);
    }
    return collect_outputs();
  }

 private:
  DeviceTensor<double> given(const char* name) const { return upload(to_, in_.tensors.at(name)); }

  NamedDeviceTensors collect_outputs() {
    const std::size_t prefix = place_.size() + 1;
    for (const auto& [name, values] : gradients_)
      got_.set(fmt::format("grad_{}", name.substr(prefix)), values);
    for (const auto& [name, values] : state_) got_.set(name.substr(prefix), values);
    return std::move(got_);
  }

  Device& to_;
  const checks::evaluation::EncoderTensors& in_;
  std::string place_;
  std::map<std::string, DeviceTensor<bool>> masks_;
  gpu::encoder::ModelRunSettings run_;
  NamedDeviceTensors parameters_, state_, gradients_, got_;
};

NamedDeviceTensors run_whole_encoder(Device& to, const checks::evaluation::EncoderTensors& in,
                                     const gpu::ops::Products& products) {
  NamedDeviceTensors parameters, state = upload(to, in.state), got;
  for (const auto& p : ref::encoder::parameter_shapes(in.config))
    parameters.set(p.name, upload(to, in.tensors.at(p.name)));
  gpu::encoder::Encoder encoder(in.config, parameters);
  gpu::encoder::ModelRunSettings run;
  run.products = &products;
  const DeviceTensor<double> logits = encoder.forward(
      {{in.tokens.batch_size, in.tokens.seq_len, in.tokens.ids}, DeviceMask(to, in.valid)}, run,
      state);
  got.set("logits", logits);
  const model::TrainConfig config{.encoder = in.config};
  const std::vector<int> targets = gpu::train::row_targets(
      config, {{{in.tokens.batch_size, in.tokens.seq_len, in.tokens.ids}, DeviceMask(to, in.valid)},
               in.labels});
  const Tensor<double>* const given = in.tensors.find("class_weights");
  const DeviceTensor<double> weights =
      given == nullptr ? DeviceTensor<double>() : upload(to, *given);
  const std::size_t classes = logits.shape().back();
  const auto loss = gpu::train::cross_entropy(logits.reshaped({logits.size() / classes, classes}),
                                              targets, weights, config.loss);
  got.set("loss", loss.loss);
  const auto gradients = encoder.backward(
      gpu::train::cross_entropy_backward(loss.log_probabilities, targets, weights, config.loss)
          .reshaped(logits.shape()),
      state);
  for (const auto& [name, values] : gradients.dense) got.set(fmt::format("grad_{}", name), values);
  got.set("grad_embedding.weight", full_gradient(to, gradients.embedding, in.config));
  for (const auto& [name, values] : state) got.set(name, values);
  return got;
}

}  // namespace

NamedDeviceTensors run_encoder_on_device(Device& device,
                                         const ref::model::EncoderOperation& operation,
                                         const checks::evaluation::EncoderTensors& inputs,
                                         const gpu::ops::Products& products) {
  if (std::holds_alternative<model::EncoderOptions>(operation))
    return run_whole_encoder(device, inputs, products);
  if (std::holds_alternative<model::DecoderLayerOptions>(operation))
    return SingleLayer(device, inputs, "decoder.layers.0", products).run_decoder_layer();
  return SingleLayer(device, inputs, "layers.0", products).run_encoder_layer();
}

}  // namespace normproof::verification::checks::agreement
