#include "ref/decoder/decoder.hpp"

#include <fmt/format.h>

#include <utility>

#include "ref/nn/positional_encoding.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::ref::decoder {

using numeric::Clause;

namespace {

constexpr auto kDecoder = "Decoder";
constexpr auto kEncoderFinalNorm = "encoder.final_norm", kFinalNorm = "decoder.final_norm";

bool is_pre_norm(const DecoderConfig& config) {
  return config.placement == model::NormPlacement::pre;
}

}  // namespace

template <numeric::Real T>
Decoder<T>::Decoder(const DecoderConfig& config, const DecoderParameters<T>& parameters,
                    const TensorTap<T>& tap)
    : config_(config),
      parameters_(parameters),
      tap_(tap),
      source_config_(source_side(config)),
      target_config_(target_side(config)) {
  check_decoder(kDecoder, config);
  for (std::size_t l = 0; l < config.encoder.num_layers; ++l)
    encoder_layers_.emplace_back(source_config_, parameters_.encoder.layers.at(l),
                                 fmt::format("encoder.layers.{}", l), tap_);
  for (std::size_t l = 0; l < config.decoder.num_layers; ++l)
    layers_.emplace_back(target_config_, parameters_.layers.at(l),
                         fmt::format("decoder.layers.{}", l), tap_);
}

template <numeric::Real T>
const Tensor<T>& Decoder<T>::head_weight() const {
  return config_.tied_head ? parameters_.embedding : parameters_.head.weight;
}

template <numeric::Real T>
Tensor<T> Decoder<T>::embed(const nn::Tokens& tokens, const Tensor<T>& weight) const {
  Tensor<T> x = nn::embedding(tokens, weight, config_.scaled_embedding);
  if (config_.positions) nn::add_positions(x);
  return x;
}

template <numeric::Real T>
Memory<T> Decoder<T>::encode(const encoder::EncoderInputs& source, const ModelRunSettings& run,
                             NamedTensors<T>& state) {
  run_ = run;
  source_ = source.tokens;
  Tensor<T> x = embed(source_, parameters_.encoder.embedding);
  tensor::check_mask(kDecoder, source.valid, tensor::shape_of(x), Clause::C2);
  pass_to_tap(tap_, "encoder.x", x);
  for (encoder::EncoderLayer<T>& layer : encoder_layers_)
    x = layer.forward(std::move(x), source.valid, run, state);
  if (is_pre_norm(config_))
    x = run_norm<T>(config_.encoder.final_norm, parameters_.encoder.final_norm, std::move(x),
                    source.valid, run.mode, kEncoderFinalNorm, state, encoder_final_norm_, tap_);
  pass_to_tap(tap_, "memory", x);
  return {std::move(x), source.valid};
}

template <numeric::Real T>
Tensor<T> Decoder<T>::hidden(const DecoderInputs& inputs, const ModelRunSettings& run,
                             NamedTensors<T>& state) {
  const encoder::EncoderInputs& target = inputs.target;
  const std::size_t sentences = inputs.source.tokens.batch_size;
  if (target.tokens.batch_size != sentences)
    numeric::contract_failure(kDecoder, "target",
                              fmt::format("has {} sentences", target.tokens.batch_size),
                              fmt::format("{}, as the source", sentences), Clause::C1);
  target_ = target.tokens;
  Tensor<T> x = embed(target_, parameters_.embedding);
  tensor::check_mask(kDecoder, target.valid, tensor::shape_of(x), Clause::C3);
  memory_ = encode(inputs.source, run, state);
  pass_to_tap(tap_, "decoder.x", x);
  for (DecoderLayer<T>& layer : layers_)
    x = layer.forward(std::move(x), target.valid, memory_, run, state);
  if (is_pre_norm(config_))
    x = run_norm<T>(config_.decoder.final_norm, parameters_.final_norm, std::move(x), target.valid,
                    run.mode, kFinalNorm, state, final_norm_, tap_);
  pass_to_tap(tap_, "hidden", x);
  return x;
}

template <numeric::Real T>
Tensor<T> Decoder<T>::forward(const DecoderInputs& inputs, const ModelRunSettings& run,
                              NamedTensors<T>& state) {
  head_in_ = hidden(inputs, run, state);
  Tensor<T> logits = nn::linear(head_in_, head_weight(), parameters_.head.bias);
  pass_to_tap(tap_, "logits", logits);
  return logits;
}

template <numeric::Real T>
DecoderGradients<T> Decoder<T>::backward(const Tensor<T>& grad_logits, NamedTensors<T>& state) {
  tensor::check_shape(kDecoder, "grad_logits", tensor::shape_of(grad_logits),
                      {target_.batch_size, target_.seq_len, config_.target_vocab_size}, Clause::C4);
  nn::LinearGradients<T> head =
      nn::linear_backward(grad_logits, head_in_, head_weight(), parameters_.head.bias);
  DecoderGradients<T> gradients = hidden_backward(std::move(head.grad_x), state);
  add_head_gradients(config_, std::move(head.parameters), gradients);
  return gradients;
}

template <numeric::Real T>
DecoderGradients<T> Decoder<T>::hidden_backward(Tensor<T> grad, NamedTensors<T>& state) {
  DecoderGradients<T> gradients;
  DecoderParameters<T>& dense = gradients.parameters;
  dense.layers.resize(layers_.size());
  if (is_pre_norm(config_))
    grad = run_norm_backward<T>(config_.decoder.final_norm, std::move(grad), kFinalNorm, state,
                                final_norm_, dense.final_norm, tap_);
  Tensor<T> grad_memory;
  for (std::size_t l = layers_.size(); l-- > 0;)
    grad = layers_[l].backward(std::move(grad), memory_, run_, state, dense.layers[l], grad_memory);
  pass_to_tap(tap_, "grad_decoder.x", grad);
  pass_to_tap(tap_, "grad_memory", grad_memory);
  gradients.target_embedding =
      nn::embedding_backward(grad, target_, config_.target_vocab_size, config_.scaled_embedding);
  grad = encode_backward(std::move(grad_memory), state, dense.encoder);
  gradients.source_embedding =
      nn::embedding_backward(grad, source_, config_.source_vocab_size, config_.scaled_embedding);
  return gradients;
}

/// Returns the gradient of the input of the encoder's first layer, given the gradient of the
/// memory.
template <numeric::Real T>
Tensor<T> Decoder<T>::encode_backward(Tensor<T> grad, NamedTensors<T>& state,
                                      encoder::EncoderParameters<T>& gradients) {
  gradients.layers.resize(encoder_layers_.size());
  if (is_pre_norm(config_))
    grad = run_norm_backward<T>(config_.encoder.final_norm, std::move(grad), kEncoderFinalNorm,
                                state, encoder_final_norm_, gradients.final_norm, tap_);
  for (std::size_t l = encoder_layers_.size(); l-- > 0;)
    grad = encoder_layers_[l].backward(std::move(grad), run_, state, gradients.layers[l]);
  pass_to_tap(tap_, "grad_encoder.x", grad);
  return grad;
}

template <numeric::Real T>
void add_head_gradients(const DecoderConfig& config, nn::Linear<T> head,
                        DecoderGradients<T>& gradients) {
  DecoderParameters<T>& dense = gradients.parameters;
  encoder::add_head_gradients(config.tied_head, std::move(head), gradients.target_embedding,
                              dense.embedding, dense.head);
}

#define NORMPROOF_INSTANTIATE(T) \
  template class Decoder<T>;     \
  template void add_head_gradients(const DecoderConfig&, nn::Linear<T>, DecoderGradients<T>&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::decoder
