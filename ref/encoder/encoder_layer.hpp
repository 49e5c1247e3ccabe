#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "ref/encoder/parameters.hpp"
#include "ref/encoder/tap.hpp"
#include "ref/norm/norm.hpp"

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

/// A norm in its place, between forward and backward.
template <class T>
struct NormSite {
  norm::NormInputs<T> inputs;
  norm::NormStep<T> forward;  ///< without y
};

template <class T>
struct EncoderLayerSaved {
  Tensor<T> attention_in;  ///< what attention takes: x, or norm1(x)
  nn::AttentionSaved<T> attention;
  Mask keep1;  ///< of the dropout after attention, or empty
  NormSite<T> norm1;
  Tensor<T> feed_forward_in;
  nn::FeedForwardSaved<T> feed_forward;
  Mask keep2;  ///< of the dropout after the feed-forward, or empty
  NormSite<T> norm2;
};

/// What a layer begins with where its backward computes the forward again.
template <class T>
struct EncoderLayerStart {
  Tensor<T> x;
  NamedTensors<T> state;  ///< the entries of the layer
};

/// What a layer keeps for its backward. Without `rest` it keeps its input alone, and the backward
/// computes the forward again; `weights` are those of attention.
struct Keep {
  bool weights = true, rest = true;
};

/// About how many bytes those are.
struct KeptBytes {
  std::size_t weights = 0, rest = 0;
};
KeptBytes kept_bytes(const EncoderConfig& config, std::size_t batch_size, std::size_t seq_len,
                     std::size_t bytes_of_scalar);

/// One layer of a Transformer encoder.
/// Source    [VSP+17] section 3.1 (post), [XYH+20] (pre); docs/specification/encoder.md
/// Computes  post: h = norm1(x + dropout(attention(x))) ; y = norm2(h + dropout(feed_forward(h)))
///           pre: h = x + dropout(attention(norm1(x))) ; y = h + dropout(feed_forward(norm2(h)))
/// Shapes    x, y [B,T,D]; valid [B,T], true = a real token, or empty: all
/// Requires  those of its parts; (C1) run.masks, where given, holds a mask for each dropout
/// Order     of its parts; a residual sum is rounded once an element
/// Throws    ContractError, also where a dropout has no mask in run.masks; `place` begins the
///           names of dropouts, state and taps: "layers.0"
template <numeric::Real T>
class EncoderLayer {
 public:
  EncoderLayer(const EncoderConfig& config, const EncoderLayerParameters<T>& parameters,
               std::string place, const Tap<T>& tap);

  /// Moves the entries of `state` that belong to this layer. No bit depends on `keep`.
  Tensor<T> forward(Tensor<T> x, const Mask& valid, const EncoderRun& run, NamedTensors<T>& state,
                    Keep keep = {});

  /// The gradient by x, and in `gradients` those by the parameters. What PowerNorm carries from
  /// backward to backward moves in `state`.
  Tensor<T> backward(Tensor<T> grad_y, const EncoderRun& run, NamedTensors<T>& state,
                     EncoderLayerParameters<T>& gradients);

 private:
  Tensor<T> forward_kept(Tensor<T> x, const EncoderRun& run, NamedTensors<T>& state);
  Tensor<T> attend(const Tensor<T>& x, const EncoderRun& run);
  Tensor<T> attend_backward(const Tensor<T>& grad_y, const EncoderRun& run,
                            EncoderLayerParameters<T>& gradients);
  Tensor<T> feed(const Tensor<T>& x, const EncoderRun& run);
  Tensor<T> feed_backward(const Tensor<T>& grad_y, const EncoderRun& run,
                          EncoderLayerParameters<T>& gradients);
  Tensor<T> drop(Tensor<T> y, const char* name, const EncoderRun& run, Mask& keep);
  const Tensor<T>& drop_backward(const Tensor<T>& grad_y, const EncoderRun& run, const Mask& keep,
                                 Tensor<T>& own) const;
  nn::AttentionOptions attention_options(const EncoderRun& run) const;
  nn::FeedForwardOptions feed_forward_options(const EncoderRun& run) const;
  double rate(const EncoderRun& run) const;
  nn::DropoutKey key(const EncoderRun& run, const char* name) const;

  const EncoderConfig& config_;
  const EncoderLayerParameters<T>& parameters_;
  std::string place_;
  Tap<T> tap_;  ///< none while the forward is computed again
  Keep keep_;
  Mask valid_;
  EncoderLayerSaved<T> saved_;
  std::optional<EncoderLayerStart<T>> start_;
};

/// Runs a norm at its place, and keeps what its backward needs.
template <numeric::Real T>
Tensor<T> run_norm(const EncoderConfig& config, const norm::NormParameters<T>& parameters,
                   Tensor<T> x, const Mask& valid, model::Mode mode, const std::string& place,
                   NamedTensors<T>& state, NormSite<T>& site, const Tap<T>& tap);

/// The backward of run_norm: grad_x; gradients gets those by the parameters that are given.
template <numeric::Real T>
Tensor<T> run_norm_backward(const EncoderConfig& config, Tensor<T> grad_y, const std::string& place,
                            NamedTensors<T>& state, NormSite<T>& site,
                            norm::NormParameters<T>& gradients, const Tap<T>& tap);

}  // namespace normproof::ref::encoder
