#include "gpu/nn/feed_forward.hpp"

#include "gpu/ops/activation.hpp"

namespace normproof::gpu::nn {
namespace {

using ref::model::Activation;

DeviceTensor<double> activate(const DeviceTensor<double>& x, Activation activation) {
  if (activation == Activation::gelu) return ops::gelu(x);
  if (activation == Activation::gelu_tanh) return ops::gelu_tanh(x);
  return ops::relu(x);
}

DeviceTensor<double> activate_backward(const DeviceTensor<double>& grad_y,
                                       const DeviceTensor<double>& x, Activation activation) {
  if (activation == Activation::gelu) return ops::gelu_backward(grad_y, x);
  if (activation == Activation::gelu_tanh) return ops::gelu_tanh_backward(grad_y, x);
  return ops::relu_backward(grad_y, x);
}

}  // namespace

FeedForwardForward feed_forward(const DeviceTensor<double>& x, const FeedForward& parameters,
                                const FeedForwardOptions& options) {
  FeedForwardForward result;
  result.inner = linear(x, parameters.first, *options.products);
  result.active = activate(result.inner, options.activation);
  if (options.dropout > 0) {
    result.keep = dropout_mask(x.device(), result.active.shape(), options.dropout, options.key);
    result.active = dropout(result.active, result.keep, options.dropout);
  }
  result.y = linear(result.active, parameters.second, *options.products);
  return result;
}

FeedForwardGradients feed_forward_backward(const DeviceTensor<double>& grad_y,
                                           const DeviceTensor<double>& x,
                                           const FeedForward& parameters,
                                           const FeedForwardForward& forward,
                                           const FeedForwardOptions& options) {
  LinearGradients second =
      linear_backward(grad_y, forward.active, parameters.second, *options.products);
  if (options.dropout > 0) second.grad_x = dropout(second.grad_x, forward.keep, options.dropout);
  LinearGradients first =
      linear_backward(activate_backward(second.grad_x, forward.inner, options.activation), x,
                      parameters.first, *options.products);
  return {std::move(first.grad_x), {std::move(first.parameters), std::move(second.parameters)}};
}

}  // namespace normproof::gpu::nn
