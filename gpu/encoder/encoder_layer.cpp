#include "gpu/encoder/encoder_layer.hpp"

namespace normproof::gpu::encoder {

EncoderLayer::EncoderLayer(const EncoderConfig& config, const NamedDeviceTensors& parameters,
                           const std::string& place)
    : config_(config),
      attention_(config, parameters, place + ".attention"),
      feed_forward_(config, parameters, place + ".feed_forward"),
      norm1_(config.norm, parameters, place + ".norm1"),
      norm2_(config.norm, parameters, place + ".norm2") {}

DeviceTensor<double> EncoderLayer::forward(const DeviceTensor<double>& x, const DeviceMask& valid,
                                           const ModelRunSettings& run, NamedDeviceTensors& state) {
  const DeviceTensor<double> h = run_residual_sublayer(
      config_.placement, norm1_, x, valid, run, state,
      [&](const DeviceTensor<double>& in) { return attention_.forward(in, valid, run); });
  return run_residual_sublayer(
      config_.placement, norm2_, h, valid, run, state,
      [&](const DeviceTensor<double>& in) { return feed_forward_.forward(in, run); });
}

DeviceTensor<double> EncoderLayer::backward(const DeviceTensor<double>& grad_y,
                                            const ModelRunSettings& run, NamedDeviceTensors& state,
                                            NamedDeviceTensors& gradients) {
  const DeviceTensor<double> grad_h = run_residual_sublayer_backward(
      config_.placement, norm2_, grad_y, state, gradients, [&](const DeviceTensor<double>& grad) {
        return feed_forward_.backward(grad, run, gradients);
      });
  return run_residual_sublayer_backward(
      config_.placement, norm1_, grad_h, state, gradients,
      [&](const DeviceTensor<double>& grad) { return attention_.backward(grad, run, gradients); });
}

}  // namespace normproof::gpu::encoder
