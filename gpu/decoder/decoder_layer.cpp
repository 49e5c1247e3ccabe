#include "gpu/decoder/decoder_layer.hpp"

#include <utility>

namespace normproof::gpu::decoder {

using encoder::find_linear;
using encoder::store_linear_gradients;

CrossAttentionSublayer::CrossAttentionSublayer(const EncoderConfig& config,
                                               const NamedDeviceTensors& parameters,
                                               const std::string& place)
    : config_(config),
      dropouts_(config, place),
      parameters_{find_linear(parameters, place + ".query"),
                  find_linear(parameters, place + ".memory"),
                  find_linear(parameters, place + ".out")} {}

nn::AttentionOptions CrossAttentionSublayer::options(const ModelRunSettings& run) const {
  return {config_.num_heads, dropouts_.rate(run), dropouts_.key(run, ".weights"), run.products};
}

DeviceTensor<double> CrossAttentionSublayer::forward(const DeviceTensor<double>& x,
                                                     const Memory& memory,
                                                     const ModelRunSettings& run) {
  in_ = x;
  attended_ = nn::cross_attention(x, memory.values, parameters_, memory.valid, options(run));
  return dropouts_.drop(attended_.y, run);
}

DeviceTensor<double> CrossAttentionSublayer::backward(const DeviceTensor<double>& grad_y,
                                                      const Memory& memory,
                                                      const ModelRunSettings& run,
                                                      NamedDeviceTensors& gradients,
                                                      DeviceTensor<double>& grad_memory) {
  nn::CrossAttentionGradients backward =
      nn::cross_attention_backward(dropouts_.drop_backward(grad_y, run), in_, memory.values,
                                   parameters_, memory.valid, attended_, options(run));
  attended_ = {};
  const std::string& place = dropouts_.place();
  store_linear_gradients(gradients, place + ".query", std::move(backward.parameters.query));
  store_linear_gradients(gradients, place + ".memory", std::move(backward.parameters.memory));
  store_linear_gradients(gradients, place + ".out", std::move(backward.parameters.out));
  grad_memory = grad_memory.is_given() ? ops::add(grad_memory, backward.grad_memory)
                                       : std::move(backward.grad_memory);
  return std::move(backward.grad_x);
}

DecoderLayer::DecoderLayer(const EncoderConfig& config, const NamedDeviceTensors& parameters,
                           const std::string& place)
    : config_(config),
      self_attention_(config, parameters, place + ".self_attention"),
      cross_attention_(config, parameters, place + ".cross_attention"),
      feed_forward_(config, parameters, place + ".feed_forward"),
      norm1_(config.norm, parameters, place + ".norm1"),
      norm2_(config.norm, parameters, place + ".norm2"),
      norm3_(config.norm, parameters, place + ".norm3") {}

DeviceTensor<double> DecoderLayer::forward(const DeviceTensor<double>& x, const DeviceMask& valid,
                                           const Memory& memory, const ModelRunSettings& run,
                                           NamedDeviceTensors& state) {
  const auto residual = [&](encoder::NamedNorm& norm, const DeviceTensor<double>& in,
                            const auto& f) {
    return run_residual_sublayer(config_.placement, norm, in, valid, run, state, f);
  };
  const DeviceTensor<double> h = residual(norm1_, x, [&](const DeviceTensor<double>& in) {
    return self_attention_.forward(in, valid, run);
  });
  const DeviceTensor<double> g = residual(norm2_, h, [&](const DeviceTensor<double>& in) {
    return cross_attention_.forward(in, memory, run);
  });
  return residual(norm3_, g,
                  [&](const DeviceTensor<double>& in) { return feed_forward_.forward(in, run); });
}

DeviceTensor<double> DecoderLayer::backward(const DeviceTensor<double>& grad_y,
                                            const Memory& memory, const ModelRunSettings& run,
                                            NamedDeviceTensors& state,
                                            NamedDeviceTensors& gradients,
                                            DeviceTensor<double>& grad_memory) {
  const auto residual = [&](encoder::NamedNorm& norm, const DeviceTensor<double>& grad,
                            const auto& backward) {
    return run_residual_sublayer_backward(config_.placement, norm, grad, state, gradients,
                                          backward);
  };
  const DeviceTensor<double> grad_g = residual(norm3_, grad_y, [&](const auto& grad) {
    return feed_forward_.backward(grad, run, gradients);
  });
  const DeviceTensor<double> grad_h = residual(norm2_, grad_g, [&](const auto& grad) {
    return cross_attention_.backward(grad, memory, run, gradients, grad_memory);
  });
  return residual(norm1_, grad_h,
                  [&](const auto& grad) { return self_attention_.backward(grad, run, gradients); });
}

}  // namespace normproof::gpu::decoder
