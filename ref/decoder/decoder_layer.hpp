#pragma once

#include <string>

#include "ref/decoder/parameters.hpp"
#include "ref/encoder/sublayers.hpp"

namespace normproof::ref::decoder {

using encoder::EncoderRun;
using encoder::Tap;

/// What the encoder gives to each layer of the decoder.
template <class T>
struct Memory {
  Tensor<T> values;  ///< [B,S,D]
  Mask valid = {};   ///< [B,S], true = a real token of the source, or empty: all
};

template <class T>
struct DecoderLayerSaved {
  encoder::ResidualSite<T> attending, crossing, feeding;
  nn::AttentionSaved<T> self_attention;
  nn::CrossAttentionSaved<T> cross_attention;
  nn::FeedForwardSaved<T> feed_forward;
};

/// One layer of a Transformer decoder.
/// Source    [VSP+17] section 3.1 (post), [XYH+20] (pre); docs/specification/decoder.md
/// Computes  post: h = norm1(x + dropout(self_attention(x))) ;
///           g = norm2(h + dropout(cross_attention(h, memory))) ;
///           y = norm3(g + dropout(feed_forward(g)))
///           pre: h = x + dropout(self_attention(norm1(x))) ;
///           g = h + dropout(cross_attention(norm2(h), memory)) ;
///           y = g + dropout(feed_forward(norm3(g)))
/// Shapes    x, y [B,T,D]; valid [B,T], true = a real token of the target, or empty: all
/// Requires  those of its parts; (C1) of EncoderLayer
/// Order     of its parts; a residual sum is rounded once an element
/// Throws    ContractError; `place` begins the names of dropouts, state and taps:
///           "decoder.layers.0"
template <numeric::Real T>
class DecoderLayer {
 public:
  /// `config`, which is that of target_side, and `parameters` have to stay.
  DecoderLayer(const encoder::EncoderConfig& config, const DecoderLayerParameters<T>& parameters,
               std::string place, const Tap<T>& tap);

  /// Moves the entries of `state` that belong to this layer.
  Tensor<T> forward(Tensor<T> x, const Mask& valid, const Memory<T>& memory, const EncoderRun& run,
                    NamedTensors<T>& state);

  /// The gradient by x, in `gradients` those by the parameters; the one by the memory is added to
  /// grad_memory, or is it where that is empty. What PowerNorm carries from backward to backward
  /// moves in `state`.
  Tensor<T> backward(Tensor<T> grad_y, const Memory<T>& memory, const EncoderRun& run,
                     NamedTensors<T>& state, DecoderLayerParameters<T>& gradients,
                     Tensor<T>& grad_memory);

 private:
  encoder::LayerCall<T> call(const EncoderRun& run, NamedTensors<T>& state) const;
  Tensor<T> cross(const encoder::LayerCall<T>& call, const Tensor<T>& x, const Memory<T>& memory);
  Tensor<T> cross_backward(const encoder::LayerCall<T>& call, const Tensor<T>& grad_y,
                           const Memory<T>& memory, nn::CrossAttention<T>& gradients,
                           Tensor<T>& grad_memory);

  const encoder::EncoderConfig& config_;
  const DecoderLayerParameters<T>& parameters_;
  std::string place_;
  Tap<T> tap_;
  Mask valid_;
  DecoderLayerSaved<T> saved_;
};

}  // namespace normproof::ref::decoder
