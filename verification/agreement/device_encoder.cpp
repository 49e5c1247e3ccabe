#include "verification/agreement/device_encoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "gpu/train/cross_entropy.hpp"
#include "gpu/train/trainer.hpp"

namespace normproof::verification::agreement {
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

/// [V,D], 0 in the rows that do not occur.
DeviceTensor<double> spread(Device& to, const gpu::nn::RowGradient& gradient,
                            const model::EncoderConfig& config) {
  Tensor<double> whole = ref::tensor::full_tensor<double>({config.vocab_size, config.d_model}, 0.0);
  const Tensor<double> rows_there = download(gradient.values);
  for (std::size_t r = 0; r < gradient.rows.size(); ++r)
    std::copy_n(rows_there.data() + r * config.d_model, config.d_model,
                whole.data() + gradient.rows[r] * config.d_model);
  return upload(to, whole);
}

NamedDeviceTensors run_layer(Device& to, const evaluation::EncoderTensors& in,
                             const gpu::ops::Products& products) {
  NamedDeviceTensors parameters, state, gradients, got;
  for (const auto& [name, values] : in.tensors)
    parameters.set(fmt::format("layers.0.{}", name), upload(to, values));
  for (const auto& [name, values] : in.state)
    state.set(fmt::format("layers.0.{}", name), upload(to, values));
  gpu::encoder::EncoderLayer layer(in.config, parameters, "layers.0");
  std::map<std::string, DeviceTensor<bool>> masks;
  for (const auto& [name, keep] : in.masks)
    masks.emplace(fmt::format("layers.0.{}", name), upload(to, keep));
  gpu::encoder::EncoderRun run;
  run.mode = in.mode;
  run.masks = &masks;
  run.products = &products;
  got.set("y", layer.forward(upload(to, in.tensors.at("x")), DeviceMask(to, in.valid), run, state));
  got.set("attention.weights", layer.attention_weights());
  if (const auto* const grad_y = in.tensors.find("grad_y"))
    got.set("grad_x", layer.backward(upload(to, *grad_y), run, state, gradients));
  constexpr std::string_view kPlace = "layers.0.";
  for (const auto& [name, values] : gradients)
    got.set(fmt::format("grad_{}", name.substr(kPlace.size())), values);
  for (const auto& [name, values] : state) got.set(name.substr(kPlace.size()), values);
  return got;
}

NamedDeviceTensors run_whole(Device& to, const evaluation::EncoderTensors& in,
                             const gpu::ops::Products& products) {
  NamedDeviceTensors parameters, state = upload(to, in.state), got;
  for (const auto& p : ref::encoder::parameter_shapes(in.config))
    parameters.set(p.name, upload(to, in.tensors.at(p.name)));
  gpu::encoder::Encoder encoder(in.config, parameters);
  gpu::encoder::EncoderRun run;
  run.products = &products;
  const DeviceTensor<double> logits = encoder.forward(
      {{in.tokens.batch_size, in.tokens.seq_len, in.tokens.ids}, DeviceMask(to, in.valid)}, run,
      state);
  got.set("logits", logits);
  const model::TrainConfig config{.encoder = in.config};
  const std::vector<int> targets = gpu::train::targets_of(
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
  got.set("grad_embedding.weight", spread(to, gradients.embedding, in.config));
  for (const auto& [name, values] : state) got.set(name, values);
  return got;
}

}  // namespace

bool is_on_device(const model::EncoderOperation& operation) {
  return !std::holds_alternative<model::DecoderLayerOptions>(operation);
}

NamedDeviceTensors run_encoder_on_device(Device& device,
                                         const ref::model::EncoderOperation& operation,
                                         const evaluation::EncoderTensors& inputs,
                                         const gpu::ops::Products& products) {
  if (!is_on_device(operation))
    ref::numeric::contract_failure("run_encoder_on_device", "operation", "is decoder_layer",
                                   "encoder_layer or encoder", ref::numeric::Clause::C1);
  return std::holds_alternative<model::EncoderLayerOptions>(operation)
             ? run_layer(device, inputs, products)
             : run_whole(device, inputs, products);
}

}  // namespace normproof::verification::agreement
