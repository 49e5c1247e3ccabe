#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "ref/encoder/norm_site.hpp"
#include "ref/ops/arithmetic.hpp"

/// The parts of layers: norms, attention and feed-forward, each with a forward and a backward.
namespace normproof::ref::encoder {

/// The settings of one step of training, or of one evaluation.
struct ModelRunSettings {
  model::Mode mode = model::Mode::training;  ///< inference: no dropout; running statistics in norms
  std::uint64_t seed = 0;                    ///< seed of the dropout masks
  std::uint64_t step = 0;                    ///< step number of the dropout masks
  /// The dropout masks by name, such as "layers.0.attention.y". If null, the masks are drawn from
  /// seed and step.
  const std::map<std::string, Mask>* masks = nullptr;
  /// The approximate number of bytes that a forward may save for its backward. Results that would
  /// exceed it are computed again in the backward, which does not affect the bits.
  std::size_t memory = std::size_t{2} << 30;
};

/// The arguments of a layer's forward or backward, and the parts of the layer's configuration that
/// its sublayers use.
template <class T>
struct LayerCall {
  /// The prefix of the names of dropouts, running statistics and recorded tensors, such as
  /// "layers.0".
  const std::string& place;
  const model::NormOptions& norm;
  model::NormPlacement placement;
  double dropout;     ///< the rate in training
  const Mask& valid;  ///< [B,T], true for a real token; empty if all are real
  const ModelRunSettings& run;
  NamedTensors<T>& state;
  const TensorTap<T>& tap;

  double rate() const { return run.mode == model::Mode::training ? dropout : 0; }
  /// Returns the full name of a part, such as "layers.0.attention.y" for the part "attention.y".
  std::string name(const std::string& part) const { return place + "." + part; }
};

/// Returns the key of the dropout that is applied to the part `part`.
/// Requires  (C1) of EncoderLayer
template <numeric::Real T>
nn::DropoutKey dropout_key(const LayerCall<T>& call, const std::string& part);

/// Applies dropout to y, the output of the part `part`. Stores the mask in `keep`.
template <numeric::Real T>
Tensor<T> apply_dropout_to_part(const LayerCall<T>& call, const std::string& part, Tensor<T> y,
                                Mask& keep);

/// Applies the backward of apply_dropout_to_part to grad_y. Without dropout, it returns grad_y
/// itself. Otherwise it stores the result in `own` and returns `own`.
template <numeric::Real T>
const Tensor<T>& run_part_dropout_backward(const LayerCall<T>& call, const Tensor<T>& grad_y,
                                           const Mask& keep, Tensor<T>& own);

/// Returns `options` with the dropout rate and key of the attention weights of the part `part`.
/// keep_weights becomes true if the tap requests the weights.
template <numeric::Real T>
nn::AttentionOptions attention_options(const LayerCall<T>& call, const std::string& part,
                                       nn::AttentionOptions options);

/// These functions compute dropout(attention(x)), and its backward. The caller sets num_heads,
/// causal and keep_weights in `options`.
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

/// These functions compute dropout(feed_forward(x)), and its backward.
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

/// The data that a sublayer, with its norm and its dropout, saves in its forward for its backward.
template <class T>
struct ResidualSublayer {
  Tensor<T> in;  ///< the input of the sublayer: x, or norm(x)
  Mask keep;     ///< the mask of the dropout after the sublayer, or empty
  NamedNorm<T> norm;
};

/// Runs a sublayer with its norm and its residual connection. The function f computes the sublayer
/// and its dropout.
/// Computes  post: norm(f(x) + x); pre: f(norm(x)) + x
/// Order     the residual sum is rounded once per element
template <class T, class F>
Tensor<T> run_residual_sublayer(const LayerCall<T>& call, const char* norm,
                                const norm::NormParameters<T>& parameters, Tensor<T> x,
                                ResidualSublayer<T>& site, F f) {
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

/// Runs the backward of run_residual_sublayer. Returns the gradient of x. The function `backward`
/// maps the gradient of the output of f to the gradient of the input of f.
template <class T, class F>
Tensor<T> run_residual_sublayer_backward(const LayerCall<T>& call, const char* norm,
                                         Tensor<T> grad_y, ResidualSublayer<T>& site,
                                         norm::NormParameters<T>& gradients, F backward) {
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
