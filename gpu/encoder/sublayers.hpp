#pragma once

#include <string>
#include <utility>

#include "gpu/encoder/norm_site.hpp"
#include "gpu/nn/feed_forward.hpp"
#include "gpu/nn/multi_head_attention.hpp"
#include "gpu/ops/arithmetic.hpp"

/// What layers are made of, as in ref/encoder/sublayers.hpp: norms, attention and feed-forward at
/// their places, each between a forward and its backward. Parameters, gradients and state have the
/// names of their places.
namespace normproof::gpu::encoder {

using device::Device;
using nn::Products;
using ref::model::EncoderConfig;

/// A linear map by its name.
nn::Linear linear_of(const NamedDeviceTensors& parameters, const std::string& name);
/// The gradients by such a map, under its name.
void put_linear(NamedDeviceTensors& gradients, const std::string& name, nn::Linear&& own);

/// The dropouts of a part of a layer, "layers.0.attention": inside it, and behind its y.
class PartDropouts {
 public:
  /// `config` has to stay.
  PartDropouts(const EncoderConfig& config, std::string place)
      : config_(config), place_(std::move(place)) {}

  const std::string& place() const { return place_; }
  double rate(const EncoderRun& run) const;
  /// Of the part's tensor that is called so: ".weights".
  /// Throws    ContractError where run.masks has none
  nn::DropoutKey key(const EncoderRun& run, const char* tensor) const;
  DeviceTensor<double> drop(const DeviceTensor<double>& y, const EncoderRun& run);
  DeviceTensor<double> drop_backward(const DeviceTensor<double>& grad_y,
                                     const EncoderRun& run) const;

 private:
  const EncoderConfig& config_;
  std::string place_;
  DeviceTensor<bool> keep_;
};

/// dropout(attention(x)) of a layer, of itself or of a causal one.
class AttentionSite {
 public:
  AttentionSite(const EncoderConfig& config, const NamedDeviceTensors& parameters,
                const std::string& place);

  DeviceTensor<double> forward(const DeviceTensor<double>& x, const DeviceMask& valid,
                               const EncoderRun& run);
  DeviceTensor<double> backward(const DeviceTensor<double>& grad_y, const EncoderRun& run,
                                NamedDeviceTensors& gradients);
  /// Of the last forward, [B,H,T,T].
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

/// Computes  post: norm(f(x) + x); pre: f(norm(x)) + x
/// Order     the residual sum is rounded once an element
template <class F>
DeviceTensor<double> run_residual(ref::model::NormPlacement placement, NormSite& norm,
                                  const DeviceTensor<double>& x, const DeviceMask& valid,
                                  const EncoderRun& run, NamedDeviceTensors& state, const F& f) {
  if (placement == ref::model::NormPlacement::post)
    return norm.forward(ops::add(f(x), x), valid, run, state);
  return ops::add(f(norm.forward(x, valid, run, state)), x);
}

/// The gradient by x. backward: grad_y -> the gradient by what f takes
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
