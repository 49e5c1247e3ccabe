#pragma once

#include <string>
#include <utility>

#include "gpu/encoder/norm_site.hpp"
#include "gpu/nn/feed_forward.hpp"
#include "gpu/nn/multi_head_attention.hpp"
#include "gpu/ops/arithmetic.hpp"

/// The parts of a layer, as in ref/encoder/sublayers.hpp: norms, attention and feed-forward. Each
/// part keeps its data between a forward and its backward. The name of a part is its place in the
/// model, such as "layers.0.attention". The names of the part's parameters, gradients and state
/// begin with the name of the part.
namespace normproof::gpu::encoder {

using device::Device;
using nn::Products;
using ref::model::EncoderConfig;

/// Returns the weight and bias of the linear map with this name.
nn::Linear find_linear(const NamedDeviceTensors& parameters, const std::string& name);
/// Stores `own`, the gradients of a linear map, under the name of the map.
void store_linear_gradients(NamedDeviceTensors& gradients, const std::string& name,
                            nn::Linear&& own);

/// The dropouts of one part of a layer, such as "layers.0.attention": the dropouts inside the part,
/// and the dropout of its output y.
class SublayerDropouts {
 public:
  /// Keeps a reference to `config`, which must outlive this object.
  SublayerDropouts(const EncoderConfig& config, std::string place)
      : config_(config), place_(std::move(place)) {}

  const std::string& place() const { return place_; }
  double rate(const ModelRunSettings& run) const;
  /// Returns the dropout key of a tensor of the part. `tensor` is the end of the tensor's name,
  /// such as ".weights".
  /// Throws    ContractError if run.masks is given but has no mask for the tensor
  nn::DropoutKey key(const ModelRunSettings& run, const char* tensor) const;
  DeviceTensor<double> drop(const DeviceTensor<double>& y, const ModelRunSettings& run);
  DeviceTensor<double> drop_backward(const DeviceTensor<double>& grad_y,
                                     const ModelRunSettings& run) const;

 private:
  const EncoderConfig& config_;
  std::string place_;
  DeviceTensor<bool> keep_;
};

/// The self-attention of a layer, causal or not: dropout(attention(x)).
class AttentionSublayer {
 public:
  AttentionSublayer(const EncoderConfig& config, const NamedDeviceTensors& parameters,
                    const std::string& place);

  DeviceTensor<double> forward(const DeviceTensor<double>& x, const DeviceMask& valid,
                               const ModelRunSettings& run);
  DeviceTensor<double> backward(const DeviceTensor<double>& grad_y, const ModelRunSettings& run,
                                NamedDeviceTensors& gradients);
  /// Returns the attention weights [B,H,T,T] of the last forward.
  const DeviceTensor<double>& weights() const { return attended_.weights; }

 private:
  nn::AttentionOptions options(const ModelRunSettings& run) const;

  const EncoderConfig& config_;
  SublayerDropouts dropouts_;
  nn::Attention parameters_;
  DeviceMask valid_;
  DeviceTensor<double> in_;
  nn::AttentionForward attended_;
};

/// The feed-forward of a layer: dropout(feed_forward(x)).
class FeedForwardSublayer {
 public:
  FeedForwardSublayer(const EncoderConfig& config, const NamedDeviceTensors& parameters,
                      const std::string& place);

  DeviceTensor<double> forward(const DeviceTensor<double>& x, const ModelRunSettings& run);
  DeviceTensor<double> backward(const DeviceTensor<double>& grad_y, const ModelRunSettings& run,
                                NamedDeviceTensors& gradients);

 private:
  nn::FeedForwardOptions options(const ModelRunSettings& run) const;

  const EncoderConfig& config_;
  SublayerDropouts dropouts_;
  nn::FeedForward parameters_;
  DeviceTensor<double> in_;
  nn::FeedForwardForward fed_;
};

/// Runs a sublayer f with its residual connection and its norm.
/// Computes  norm(f(x) + x) if the norm's placement is post; f(norm(x)) + x if it is pre
/// Order     the residual sum is rounded once per element
template <class F>
DeviceTensor<double> run_residual_sublayer(ref::model::NormPlacement placement, NamedNorm& norm,
                                           const DeviceTensor<double>& x, const DeviceMask& valid,
                                           const ModelRunSettings& run, NamedDeviceTensors& state,
                                           const F& f) {
  if (placement == ref::model::NormPlacement::post)
    return norm.forward(ops::add(f(x), x), valid, run, state);
  return ops::add(f(norm.forward(x, valid, run, state)), x);
}

/// Runs the backward of run_residual_sublayer. Returns the gradient of x. `backward` is the
/// backward of f: it maps the gradient of f's output to the gradient of f's input.
template <class F>
DeviceTensor<double> run_residual_sublayer_backward(
    ref::model::NormPlacement placement, NamedNorm& norm, const DeviceTensor<double>& grad_y,
    NamedDeviceTensors& state, NamedDeviceTensors& gradients, const F& backward) {
  if (placement == ref::model::NormPlacement::post) {
    const DeviceTensor<double> grad = norm.backward(grad_y, state, gradients);
    return ops::add(grad, backward(grad));
  }
  return ops::add(grad_y, norm.backward(backward(grad_y), state, gradients));
}

}  // namespace normproof::gpu::encoder
