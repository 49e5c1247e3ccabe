#include "gpu/encoder/sublayers.hpp"

#include <fmt/format.h>

#include <utility>

namespace normproof::gpu::encoder {

using ref::numeric::Clause;

nn::Linear find_linear(const NamedDeviceTensors& parameters, const std::string& name) {
  return {parameters.at(name + ".weight"), parameters.at(name + ".bias")};
}

void store_linear_gradients(NamedDeviceTensors& gradients, const std::string& name,
                            nn::Linear&& own) {
  gradients.set(name + ".weight", std::move(own.weight));
  gradients.set(name + ".bias", std::move(own.bias));
}

double SublayerDropouts::rate(const ModelRunSettings& run) const {
  return run.mode == ref::model::Mode::training ? config_.dropout : 0;
}

nn::DropoutKey SublayerDropouts::key(const ModelRunSettings& run, const char* tensor) const {
  nn::DropoutKey key{run.seed, run.step, place_ + tensor};
  if (run.masks == nullptr || rate(run) == 0) return key;
  const auto given = run.masks->find(key.place);
  if (given == run.masks->end())
    ref::numeric::contract_failure("encoder layer", "masks", fmt::format("has no {}", key.place),
                                   "one for each dropout", Clause::C1);
  key.given = given->second;
  return key;
}

DeviceTensor<double> SublayerDropouts::drop(const DeviceTensor<double>& y,
                                            const ModelRunSettings& run) {
  if (rate(run) == 0) return y;
  keep_ = nn::dropout_mask(y.device(), y.shape(), rate(run), key(run, ".y"));
  return nn::dropout(y, keep_, rate(run));
}

DeviceTensor<double> SublayerDropouts::drop_backward(const DeviceTensor<double>& grad_y,
                                                     const ModelRunSettings& run) const {
  return rate(run) == 0 ? grad_y : nn::dropout(grad_y, keep_, rate(run));
}

AttentionSublayer::AttentionSublayer(const EncoderConfig& config,
                                     const NamedDeviceTensors& parameters, const std::string& place)
    : config_(config),
      dropouts_(config, place),
      parameters_{find_linear(parameters, place + ".in"), find_linear(parameters, place + ".out")} {
}

nn::AttentionOptions AttentionSublayer::options(const ModelRunSettings& run) const {
  return {config_.num_heads, dropouts_.rate(run), dropouts_.key(run, ".weights"), run.products,
          config_.causal};
}

DeviceTensor<double> AttentionSublayer::forward(const DeviceTensor<double>& x,
                                                const DeviceMask& valid,
                                                const ModelRunSettings& run) {
  in_ = x;
  valid_ = valid;
  attended_ = nn::multi_head_attention(x, parameters_, valid_, options(run));
  return dropouts_.drop(attended_.y, run);
}

DeviceTensor<double> AttentionSublayer::backward(const DeviceTensor<double>& grad_y,
                                                 const ModelRunSettings& run,
                                                 NamedDeviceTensors& gradients) {
  nn::AttentionGradients backward = nn::multi_head_attention_backward(
      dropouts_.drop_backward(grad_y, run), in_, parameters_, valid_, attended_, options(run));
  attended_ = {};
  store_linear_gradients(gradients, dropouts_.place() + ".in", std::move(backward.parameters.in));
  store_linear_gradients(gradients, dropouts_.place() + ".out", std::move(backward.parameters.out));
  return std::move(backward.grad_x);
}

FeedForwardSublayer::FeedForwardSublayer(const EncoderConfig& config,
                                         const NamedDeviceTensors& parameters,
                                         const std::string& place)
    : config_(config),
      dropouts_(config, place),
      parameters_{find_linear(parameters, place + ".first"),
                  find_linear(parameters, place + ".second")} {}

nn::FeedForwardOptions FeedForwardSublayer::options(const ModelRunSettings& run) const {
  return {config_.activation, dropouts_.rate(run), dropouts_.key(run, ".active"), run.products};
}

DeviceTensor<double> FeedForwardSublayer::forward(const DeviceTensor<double>& x,
                                                  const ModelRunSettings& run) {
  in_ = x;
  fed_ = nn::feed_forward(x, parameters_, options(run));
  return dropouts_.drop(fed_.y, run);
}

DeviceTensor<double> FeedForwardSublayer::backward(const DeviceTensor<double>& grad_y,
                                                   const ModelRunSettings& run,
                                                   NamedDeviceTensors& gradients) {
  nn::FeedForwardGradients backward = nn::feed_forward_backward(
      dropouts_.drop_backward(grad_y, run), in_, parameters_, fed_, options(run));
  fed_ = {};
  store_linear_gradients(gradients, dropouts_.place() + ".first",
                         std::move(backward.parameters.first));
  store_linear_gradients(gradients, dropouts_.place() + ".second",
                         std::move(backward.parameters.second));
  return std::move(backward.grad_x);
}

}  // namespace normproof::gpu::encoder
