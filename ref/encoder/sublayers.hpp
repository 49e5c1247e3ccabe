#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "ref/encoder/norm_site.hpp"
#include "ref/ops/arithmetic.hpp"

/// What layers are made of: norms, attention and feed-forward at their places, each between a
/// forward and its backward.
namespace normproof::ref::encoder {

/// What a step of training or an evaluation is run with.
struct EncoderRun {
  model::Mode mode = model::Mode::training;  ///< inference: no dropout, running statistics
  std::uint64_t seed = 0;                    ///< of the dropouts
  std::uint64_t step = 0;                    ///< of the dropouts
  /// What each dropout keeps, by its place, instead of what seed and step draw:
  /// "layers.0.attention.y".
  const std::map<std::string, Mask>* masks = nullptr;
  /// About what a forward may keep for its backward, in bytes. What does not fit is computed again;
  /// no bit depends on it.
  std::size_t memory = std::size_t{2} << 30;
};

/// What a layer is called with, forward or backward, and what of its description its parts share.
template <class T>
struct LayerCall {
  const std::string& place;  ///< "layers.0": begins the names of dropouts, state and taps
  const model::NormOptions& norm;
  model::NormPlacement placement;
  double dropout;     ///< in training
  const Mask& valid;  ///< [B,T], true = a real token, or empty: all
  const EncoderRun& run;
  NamedTensors<T>& state;
  const Tap<T>& tap;

  double rate() const { return run.mode == model::Mode::training ? dropout : 0; }
  /// "layers.0.attention.y"
  std::string name(const std::string& part) const { return place + "." + part; }
};

/// Which elements the dropout of a part keeps.
/// Requires  (C1) of EncoderLayer
template <numeric::Real T>
nn::DropoutKey dropout_key(const LayerCall<T>& call, const std::string& part);

/// y after the dropout of a part, whose mask is kept.
template <numeric::Real T>
Tensor<T> drop_part(const LayerCall<T>& call, const std::string& part, Tensor<T> y, Mask& keep);

/// grad_y behind that dropout: itself where none was, and else `own`, which is made.
template <numeric::Real T>
const Tensor<T>& drop_part_backward(const LayerCall<T>& call, const Tensor<T>& grad_y,
                                    const Mask& keep, Tensor<T>& own);

/// `options` with the dropout of a part's weights. Weights that are asked for are kept.
template <numeric::Real T>
nn::AttentionOptions attention_options(const LayerCall<T>& call, const std::string& part,
                                       nn::AttentionOptions options);

/// dropout(attention(x)); `options` has heads, causal and keep_weights.
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

/// dropout(feed_forward(x))
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

/// A sublayer with its norm and its dropout, between forward and backward.
template <class T>
struct ResidualSite {
  Tensor<T> in;  ///< what the sublayer takes: x, or norm(x)
  Mask keep;     ///< of the dropout behind it, or empty
  NormSite<T> norm;
};

/// Computes  post: norm(f(x) + x); pre: f(norm(x)) + x. f: the sublayer with its dropout
/// Order     the residual sum is rounded once an element
template <class T, class F>
Tensor<T> run_residual(const LayerCall<T>& call, const char* norm,
                       const norm::NormParameters<T>& parameters, Tensor<T> x,
                       ResidualSite<T>& site, F f) {
  const bool post = call.placement == model::NormPlacement::post;
  const auto normalise = [&](Tensor<T> values) {
    return run_norm<T>(call.norm, parameters, std::move(values), call.valid, call.run.mode,
                       call.name(norm), call.state, site.norm, call.tap);
  };
  site.in = post ? std::move(x) : normalise(std::move(x));
  Tensor<T> y = f(std::as_const(site.in));
  ops::add_in_place(y, post ? site.in : site.norm.inputs.x);
  if (post) return normalise(std::move(y));
  return y;
}

/// The gradient by x. backward: grad_y -> the gradient by what f takes
template <class T, class F>
Tensor<T> run_residual_backward(const LayerCall<T>& call, const char* norm, Tensor<T> grad_y,
                                ResidualSite<T>& site, norm::NormParameters<T>& gradients,
                                F backward) {
  const auto through_norm = [&](Tensor<T> grad) {
    return run_norm_backward<T>(call.norm, std::move(grad), call.name(norm), call.state, site.norm,
                                gradients, call.tap);
  };
  if (call.placement == model::NormPlacement::post) {
    grad_y = through_norm(std::move(grad_y));
    ops::add_in_place(grad_y, backward(std::as_const(grad_y)));
  } else {
    ops::add_in_place(grad_y, through_norm(backward(std::as_const(grad_y))));
  }
  return grad_y;
}

}  // namespace normproof::ref::encoder
