#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "ref/encoder/norm_site.hpp"
#include "ref/ops/arithmetic.hpp"

/// The parts of layers: norms, attention and feed-forward at their sites, each with a forward and a
/// backward.
namespace normproof::ref::encoder {

/// The settings of one step of training or of one evaluation.
struct EncoderRun {
  model::Mode mode = model::Mode::training;  ///< inference uses no dropout, and running statistics
  std::uint64_t seed = 0;                    ///< for the dropouts
  std::uint64_t step = 0;                    ///< for the dropouts
  /// The masks of the dropouts by name, such as "layers.0.attention.y". If given, they replace
  /// those drawn from seed and step.
  const std::map<std::string, Mask>* masks = nullptr;
  /// About how many bytes a forward may keep for its backward. What does not fit is computed again,
  /// which does not affect the bits.
  std::size_t memory = std::size_t{2} << 30;
};

/// The arguments of a layer's forward or backward, and the parts of its description that its
/// sublayers share.
template <class T>
struct LayerCall {
  /// Prefix of the names of dropouts, state and taps, such as "layers.0".
  const std::string& place;
  const model::NormOptions& norm;
  model::NormPlacement placement;
  double dropout;     ///< rate in training
  const Mask& valid;  ///< [B,T], true for a real token, or empty if all are
  const EncoderRun& run;
  NamedTensors<T>& state;
  const Tap<T>& tap;

  double rate() const { return run.mode == model::Mode::training ? dropout : 0; }
  /// Returns a name such as "layers.0.attention.y".
  std::string name(const std::string& part) const { return place + "." + part; }
};

/// Returns the key of the dropout of a part.
/// Requires  (C1) of EncoderLayer
template <numeric::Real T>
nn::DropoutKey dropout_key(const LayerCall<T>& call, const std::string& part);

/// Applies the dropout of a part to y and stores its mask in `keep`.
template <numeric::Real T>
Tensor<T> drop_part(const LayerCall<T>& call, const std::string& part, Tensor<T> y, Mask& keep);

/// Applies the backward of that dropout. Returns grad_y itself if there was no dropout, otherwise
/// `own`, which receives the result.
template <numeric::Real T>
const Tensor<T>& drop_part_backward(const LayerCall<T>& call, const Tensor<T>& grad_y,
                                    const Mask& keep, Tensor<T>& own);

/// Returns `options` with the dropout of a part's weights. The weights are kept if the tap requests
/// them.
template <numeric::Real T>
nn::AttentionOptions attention_options(const LayerCall<T>& call, const std::string& part,
                                       nn::AttentionOptions options);

/// Computes dropout(attention(x)), and its backward. `options` has heads, causal and keep_weights.
template <numeric::Real T>
Tensor<T> run_attention(const LayerCall<T>& call, const std::string& part, const Tensor<T>& x,
                        const nn::Attention<T>& parameters, const nn::AttentionOptions& options,
                        nn::AttentionSaved<T>& saved, Mask& keep);
template <numeric::Real T>
Tensor<T> run_attention_backward(const LayerCall<T>& call, const std::string& part,
                                 const Tensor<T>& grad_y, const Tensor<T>& x,
                                 const nn::Attention<T>& parameters,
                                 const nn::AttentionOptions& options,
                                 const nn::AttentionSaved<T>& saved, const Mask& keep,
                                 nn::Attention<T>& gradients);

/// Computes dropout(feed_forward(x)), and its backward.
template <numeric::Real T>
Tensor<T> run_feed_forward(const LayerCall<T>& call, const Tensor<T>& x,
                           const nn::FeedForward<T>& parameters, model::Activation activation,
                           nn::FeedForwardSaved<T>& saved, Mask& keep);
template <numeric::Real T>
Tensor<T> run_feed_forward_backward(const LayerCall<T>& call, const Tensor<T>& grad_y,
                                    const Tensor<T>& x, const nn::FeedForward<T>& parameters,
                                    model::Activation activation,
                                    const nn::FeedForwardSaved<T>& saved, const Mask& keep,
                                    nn::FeedForward<T>& gradients);

/// What a sublayer with its norm and its dropout keeps between forward and backward.
template <class T>
struct ResidualSite {
  Tensor<T> in;  ///< the input of the sublayer: x, or norm(x)
  Mask keep;     ///< of the dropout after the sublayer, or empty
  NormSite<T> norm;
};

/// Computes a sublayer with its residual connection, where f is the sublayer with its dropout.
/// Computes  post: norm(f(x) + x); pre: f(norm(x)) + x
/// Order     the residual sum is rounded once per element
template <class T, class F>
Tensor<T> run_residual(const LayerCall<T>& call, const char* norm,
                       const norm::NormParameters<T>& parameters, Tensor<T> x,
                       ResidualSite<T>& site, F f) {
  const bool post = call.placement == model::NormPlacement::post;
  const auto normalize = [&](Tensor<T> values) {
    return run_norm<T>(call.norm, parameters, std::move(values), call.valid, call.run.mode,
                       call.name(norm), call.state, site.norm, call.tap);
  };
  site.in = post ? std::move(x) : normalize(std::move(x));
  Tensor<T> y = f(std::as_const(site.in));
  ops::add_in_place(y, post ? site.in : site.norm.inputs.x);
  if (post) return normalize(std::move(y));
  return y;
}

/// Returns the gradient of x. `backward` maps grad_y to the gradient of the input of f.
template <class T, class F>
Tensor<T> run_residual_backward(const LayerCall<T>& call, const char* norm, Tensor<T> grad_y,
                                ResidualSite<T>& site, norm::NormParameters<T>& gradients,
                                F backward) {
  const auto backward_through_norm = [&](Tensor<T> grad) {
    return run_norm_backward<T>(call.norm, std::move(grad), call.name(norm), call.state, site.norm,
                                gradients, call.tap);
  };
  if (call.placement == model::NormPlacement::post) {
    grad_y = backward_through_norm(std::move(grad_y));
    ops::add_in_place(grad_y, backward(std::as_const(grad_y)));
  } else {
    ops::add_in_place(grad_y, backward_through_norm(backward(std::as_const(grad_y))));
  }
  return grad_y;
}

}  // namespace normproof::ref::encoder
