#include "gpu/decoder/decoder.hpp"

#include <fmt/format.h>

#include <utility>

#include "gpu/nn/positional_encoding.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::gpu::decoder {

using ref::numeric::Clause;

namespace {

constexpr auto kDecoder = "Decoder";
constexpr auto kSourceEmbedding = "encoder.embedding.weight";
constexpr auto kTargetEmbedding = "decoder.embedding.weight";

void check_tokens_mask(const encoder::EncoderInputs& inputs, Clause clause) {
  if (inputs.valid.is_given())
    ref::tensor::check_shape(kDecoder, "valid", inputs.valid.shape(),
                             {inputs.tokens.batch_size, inputs.tokens.seq_len}, clause);
}

}  // namespace

Decoder::Decoder(const DecoderConfig& config, const NamedDeviceTensors& parameters)
    : config_(config),
      parameters_(parameters),
      source_config_(source_side(config)),
      target_config_(target_side(config)),
      encoder_final_norm_(config_.encoder.final_norm, parameters, "encoder.final_norm"),
      final_norm_(config_.decoder.final_norm, parameters, "decoder.final_norm") {
  encoder_layers_.reserve(config.encoder.num_layers);
  for (std::size_t l = 0; l < config.encoder.num_layers; ++l)
    encoder_layers_.emplace_back(source_config_, parameters, fmt::format("encoder.layers.{}", l));
  layers_.reserve(config.decoder.num_layers);
  for (std::size_t l = 0; l < config.decoder.num_layers; ++l)
    layers_.emplace_back(target_config_, parameters, fmt::format("decoder.layers.{}", l));
}

nn::Linear Decoder::head() const {
  return {parameters_.at(config_.tied_head ? kTargetEmbedding : "head.weight"),
          parameters_.at("head.bias")};
}

DeviceTensor<double> Decoder::embed(const nn::Tokens& tokens, const char* weight) const {
  DeviceTensor<double> x = nn::embedding(tokens, parameters_.at(weight), config_.scaled_embedding);
  if (!config_.positions) return x;
  return ops::add(x, nn::positional_encoding(x.device(), tokens.seq_len, config_.d_model));
}

Memory Decoder::encode(const encoder::EncoderInputs& source, const ModelRunSettings& run,
                       NamedDeviceTensors& state) {
  run_ = run;
  source_ = source.tokens;
  DeviceTensor<double> x = embed(source_, kSourceEmbedding);
  check_tokens_mask(source, Clause::C2);
  for (encoder::EncoderLayer& layer : encoder_layers_)
    x = layer.forward(x, source.valid, run, state);
  if (is_pre_norm()) x = encoder_final_norm_.forward(x, source.valid, run, state);
  return {std::move(x), source.valid};
}

DeviceTensor<double> Decoder::hidden(const DecoderInputs& inputs, const ModelRunSettings& run,
                                     NamedDeviceTensors& state) {
  const encoder::EncoderInputs& target = inputs.target;
  const std::size_t sentences = inputs.source.tokens.batch_size;
  if (target.tokens.batch_size != sentences)
    ref::numeric::contract_failure(kDecoder, "target",
                                   fmt::format("has {} sentences", target.tokens.batch_size),
                                   fmt::format("{}, as the source", sentences), Clause::C1);
  target_ = target.tokens;
  DeviceTensor<double> x = embed(target_, kTargetEmbedding);
  check_tokens_mask(target, Clause::C3);
  memory_ = encode(inputs.source, run, state);
  for (DecoderLayer& layer : layers_) x = layer.forward(x, target.valid, memory_, run, state);
  if (is_pre_norm()) x = final_norm_.forward(x, target.valid, run, state);
  return x;
}

DeviceTensor<double> Decoder::forward(const DecoderInputs& inputs, const ModelRunSettings& run,
                                      NamedDeviceTensors& state) {
  head_in_ = hidden(inputs, run, state);
  return nn::linear(head_in_, head(), *run.products);
}

DecoderGradients Decoder::backward(const DeviceTensor<double>& grad_logits,
                                   NamedDeviceTensors& state) {
  ref::tensor::check_shape(kDecoder, "grad_logits", grad_logits.shape(),
                           {target_.batch_size, target_.seq_len, config_.target_vocab_size},
                           Clause::C4);
  nn::LinearGradients own = nn::linear_backward(grad_logits, head_in_, head(), *run_.products);
  return hidden_backward(std::move(own.grad_x), std::move(own.parameters), state);
}

DecoderGradients Decoder::hidden_backward(DeviceTensor<double> grad, nn::Linear&& head,
                                          NamedDeviceTensors& state) {
  DecoderGradients gradients;
  NamedDeviceTensors found;
  if (is_pre_norm()) grad = final_norm_.backward(grad, state, found);
  DeviceTensor<double> grad_memory;
  for (std::size_t l = layers_.size(); l-- > 0;)
    grad = layers_[l].backward(grad, memory_, run_, state, found, grad_memory);
  gradients.target_embedding =
      nn::embedding_backward(grad, target_, config_.target_vocab_size, config_.scaled_embedding);
  grad = encode_backward(std::move(grad_memory), state, found);
  gradients.source_embedding =
      nn::embedding_backward(grad, source_, config_.source_vocab_size, config_.scaled_embedding);
  encoder::add_head_gradients(config_.tied_head, kTargetEmbedding, std::move(head),
                              gradients.target_embedding, found);
  gradients.dense = encoder::sort_in_parameter_order(parameters_, found);
  return gradients;
}

/// Runs the backward of the encoder. `grad` is the gradient of the encoder's output. Returns the
/// gradient of the input of the encoder's first layer.
DeviceTensor<double> Decoder::encode_backward(DeviceTensor<double> grad, NamedDeviceTensors& state,
                                              NamedDeviceTensors& found) {
  if (is_pre_norm()) grad = encoder_final_norm_.backward(grad, state, found);
  for (std::size_t l = encoder_layers_.size(); l-- > 0;)
    grad = encoder_layers_[l].backward(grad, run_, state, found);
  return grad;
}

}  // namespace normproof::gpu::decoder
