#pragma once

#include <string>
#include <utility>

#include "gpu/encoder/norm_site.hpp"
#include "gpu/nn/feed_forward.hpp"
#include "gpu/nn/multi_head_attention.hpp"
#include "gpu/ops/arithmetic.hpp"

/// The parts of a layer, as in ref/encoder/sublayers.hpp: norms, attention and feed-forward at
/// named places. Each keeps its state between a forward and its backward. The names of parameters,
/// gradients and state begin with the name of the place.
namespace normproof::gpu::encoder {

using device::Device;
using nn::Products;
using ref::model::EncoderConfig;

/// Returns the linear map of this name.
nn::Linear find_linear(const NamedDeviceTensors& parameters, const std::string& name);
/// Stores the gradients of a linear map under its name.
void store_linear_gradients(NamedDeviceTensors& gradients, const std::string& name,
                            nn::Linear&& own);

/// The dropouts of one part of a layer, such as "layers.0.attention": inside the part, and after
/// its output y.
class PartDropouts {
 public:
  /// Keeps a reference to `config`, which must outlive this object.
  PartDropouts(const EncoderConfig& config, std::string place)
      : config_(config), place_(std::move(place)) {}

  const std::string& place() const { return place_; }
  double rate(const EncoderRun& run) const;
  /// Returns the dropout key of the part's tensor with this name, such as ".weights".
  /// Throws    ContractError if run.masks is given but has no mask for it
  nn::DropoutKey key(const EncoderRun& run, const char* tensor) const;
  DeviceTensor<double> drop(const DeviceTensor<double>& y, const EncoderRun& run);
  DeviceTensor<double> drop_backward(const DeviceTensor<double>& grad_y,
                                     const EncoderRun& run) const;

 private:
  const EncoderConfig& config_;
  std::string place_;
  DeviceTensor<bool> keep_;
};

/// dropout(attention(x)) of a layer, causal or not.
class AttentionSite {
 public:
  AttentionSite(const EncoderConfig& config, const NamedDeviceTensors& parameters,
                const std::string& place);

  DeviceTensor<double> forward(const DeviceTensor<double>& x, const DeviceMask& valid,
                               const EncoderRun& run);
  DeviceTensor<double> backward(const DeviceTensor<double>& grad_y, const EncoderRun& run,
                                NamedDeviceTensors& gradients);
  /// The attention weights [B,H,T,T] of the last forward.
  const DeviceTensor<double>& weights() const { return attended_.weights; }

 private:
  nn::AttentionOptions options(const EncoderRun& run) const;

  const EncoderConfig& config_;
  PartDropouts dropouts_;
  nn::Attention parameters_;
  DeviceMask valid_;
  DeviceTensor<double> in_;
  nn::AttentionForward attended_;
};

/// dropout(feed_forward(x)) of a layer.
class FeedForwardSite {
 public:
  FeedForwardSite(const EncoderConfig& config, const NamedDeviceTensors& parameters,
                  const std::string& place);

  DeviceTensor<double> forward(const DeviceTensor<double>& x, const EncoderRun& run);
  DeviceTensor<double> backward(const DeviceTensor<double>& grad_y, const EncoderRun& run,
                                NamedDeviceTensors& gradients);

 private:
  nn::FeedForwardOptions options(const EncoderRun& run) const;

  const EncoderConfig& config_;
  PartDropouts dropouts_;
  nn::FeedForward parameters_;
  DeviceTensor<double> in_;
  nn::FeedForwardForward fed_;
};

/// Runs a sublayer f with its residual connection.
/// Computes  post: norm(f(x) + x); pre: f(norm(x)) + x
/// Order     the residual sum is rounded once per element
template <class F>
DeviceTensor<double> run_residual(ref::model::NormPlacement placement, NormSite& norm,
                                  const DeviceTensor<double>& x, const DeviceMask& valid,
                                  const EncoderRun& run, NamedDeviceTensors& state, const F& f) {
  if (placement == ref::model::NormPlacement::post)
    return norm.forward(ops::add(f(x), x), valid, run, state);
  return ops::add(f(norm.forward(x, valid, run, state)), x);
}

/// Returns the gradient of x. `backward` maps grad_y to the gradient of the input of f.
template <class F>
DeviceTensor<double> run_residual_backward(ref::model::NormPlacement placement, NormSite& norm,
                                           const DeviceTensor<double>& grad_y,
                                           NamedDeviceTensors& state, NamedDeviceTensors& gradients,
                                           const F& backward) {
  if (placement == ref::model::NormPlacement::post) {
    const DeviceTensor<double> grad = norm.backward(grad_y, state, gradients);
    return ops::add(grad, backward(grad));
  }
  return ops::add(grad_y, norm.backward(backward(grad_y), state, gradients));
}

}  // namespace normproof::gpu::encoder
