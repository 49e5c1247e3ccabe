#include "gpu/encoder/encoder.hpp"

#include <fmt/format.h>

#include <utility>

#include "gpu/encoder/pool_kernels.hpp"
#include "gpu/nn/positional_encoding.hpp"
#include "gpu/ops/arithmetic.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::gpu::encoder {

using ref::numeric::Clause;

using ref::model::NormPlacement;
using ref::model::Pooling;

namespace {

constexpr auto kEmbedding = "embedding.weight";

}  // namespace

Encoder::Encoder(const EncoderConfig& config, const NamedDeviceTensors& parameters)
    : config_(config),
      parameters_(parameters),
      final_norm_(config_.norm, parameters, "final_norm") {
  layers_.reserve(config.num_layers);
  for (std::size_t l = 0; l < config.num_layers; ++l)
    layers_.emplace_back(config_, parameters, fmt::format("layers.{}", l));
}

NamedDeviceTensors sort_in_parameter_order(const NamedDeviceTensors& parameters,
                                           const NamedDeviceTensors& found) {
  NamedDeviceTensors ordered;
  for (const auto& [name, values] : parameters)
    if (const auto* const own = found.find(name)) ordered.set(name, *own);
  return ordered;
}

void add_head_gradients(bool tied, const std::string& embedding, nn::Linear&& head,
                        nn::RowGradient& rows, NamedDeviceTensors& dense) {
  if (tied) {
    nn::add_rows(head.weight, rows);
    rows = {};
  }
  dense.set(tied ? embedding : "head.weight", std::move(head.weight));
  dense.set("head.bias", std::move(head.bias));
}

nn::Linear Encoder::head() const {
  return {parameters_.at(config_.tied_head ? kEmbedding : "head.weight"),
          parameters_.at("head.bias")};
}

DeviceTensor<double> Encoder::forward(const EncoderInputs& inputs, const ModelRunSettings& run,
                                      NamedDeviceTensors& state) {
  head_in_ = hidden(inputs, run, state);
  return nn::linear(head_in_, head(), *run.products);
}

DeviceTensor<double> Encoder::hidden(const EncoderInputs& inputs, const ModelRunSettings& run,
                                     NamedDeviceTensors& state) {
  run_ = run;
  tokens_ = inputs.tokens;
  DeviceTensor<double> x =
      nn::embedding(tokens_, parameters_.at(kEmbedding), config_.scaled_embedding);
  if (inputs.valid.is_given())
    ref::tensor::check_shape("Encoder", "valid", inputs.valid.shape(),
                             {tokens_.batch_size, tokens_.seq_len}, Clause::C5);
  if (config_.positions)
    x = ops::add(x, nn::positional_encoding(x.device(), tokens_.seq_len, config_.d_model));
  valid_ = config_.mask_padding ? inputs.valid : DeviceMask();
  for (EncoderLayer& layer : layers_) x = layer.forward(x, valid_, run, state);
  if (config_.placement == NormPlacement::pre) x = final_norm_.forward(x, valid_, run, state);
  return config_.pooling == Pooling::masked_mean ? pool(x) : x;
}

EncoderGradients Encoder::backward(const DeviceTensor<double>& grad_logits,
                                   NamedDeviceTensors& state) {
  nn::LinearGradients own = nn::linear_backward(grad_logits, head_in_, head(), *run_.products);
  return hidden_backward(std::move(own.grad_x), std::move(own.parameters), state);
}

EncoderGradients Encoder::hidden_backward(DeviceTensor<double> grad_hidden, nn::Linear&& head,
                                          NamedDeviceTensors& state) {
  NamedDeviceTensors found;
  DeviceTensor<double> grad =
      config_.pooling == Pooling::masked_mean ? pool_backward(grad_hidden) : std::move(grad_hidden);
  if (config_.placement == NormPlacement::pre) grad = final_norm_.backward(grad, state, found);
  for (std::size_t l = layers_.size(); l-- > 0;)
    grad = layers_[l].backward(grad, run_, state, found);
  EncoderGradients gradients;
  gradients.embedding =
      nn::embedding_backward(grad, tokens_, config_.vocab_size, config_.scaled_embedding);
  add_head_gradients(config_.tied_head, kEmbedding, std::move(head), gradients.embedding, found);
  gradients.dense = sort_in_parameter_order(parameters_, found);
  return gradients;
}

DeviceTensor<double> Encoder::pool(const DeviceTensor<double>& x) const {
  if (valid_.is_given() && valid_.first_empty_sentence() < tokens_.batch_size)
    ref::numeric::contract_failure(
        "Encoder", "valid",
        fmt::format("has no token in sentence {}", valid_.first_empty_sentence()), "one at least",
        Clause::C5);
  DeviceTensor<double> pooled(x.device(), {tokens_.batch_size, config_.d_model});
  device::launch_blocks(x.device(), pooled.size(),
                        ops::WarpRows<MeanPooling>{{x.span(), valid_.places(tokens_.seq_len),
                                                    config_.d_model, pooled.span()}});
  return pooled;
}

DeviceTensor<double> Encoder::pool_backward(const DeviceTensor<double>& grad_pooled) const {
  DeviceTensor<double> grad_x(grad_pooled.device(),
                              {tokens_.batch_size, tokens_.seq_len, config_.d_model});
  device::launch_elements(grad_x.device(), grad_x.size(),
                          MeanPoolingBackward{grad_pooled.span(), valid_.places(tokens_.seq_len),
                                              valid_.flags(), config_.d_model, grad_x.span()});
  return grad_x;
}

}  // namespace normproof::gpu::encoder
