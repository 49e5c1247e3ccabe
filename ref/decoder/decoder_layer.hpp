#pragma once

#include <string>

#include "ref/decoder/parameters.hpp"
#include "ref/encoder/sublayers.hpp"

namespace normproof::ref::decoder {

using encoder::ModelRunSettings;
using encoder::TensorTap;

/// The output of the encoder for a source. Each layer of the decoder attends to it.
template <class T>
struct Memory {
  Tensor<T> values;  ///< [B,S,D]
  Mask valid = {};   ///< [B,S], true for a real token of the source; empty if all are real
};

template <class T>
struct DecoderLayerSaved {
  encoder::ResidualSublayer<T> attending, crossing, feeding;
  nn::AttentionSaved<T> self_attention;
  nn::CrossAttentionSaved<T> cross_attention;
  nn::FeedForwardSaved<T> feed_forward;
};

/// One layer of a Transformer decoder. `place`, such as "decoder.layers.0", is the prefix of the
/// names of its dropouts, running statistics and recorded tensors (Tap).
/// Source    [VSP+17] section 3.1 (post), [XYH+20] (pre); docs/specification/decoder.md
/// Computes  post: h = norm1(x + dropout(self_attention(x))) ;
///           g = norm2(h + dropout(cross_attention(h, memory))) ;
///           y = norm3(g + dropout(feed_forward(g))) ;
///           pre: h = x + dropout(self_attention(norm1(x))) ;
///           g = h + dropout(cross_attention(norm2(h), memory)) ;
///           y = g + dropout(feed_forward(norm3(g)))
/// Shapes    x, y [B,T,D]; valid [B,T], true for a real token of the target, or empty if all tokens
///           are real
/// Requires  the requirements of its parts; (C1) of EncoderLayer
/// Order     as in its parts; a residual sum is rounded once per element
/// Throws    ContractError
template <numeric::Real T>
class DecoderLayer {
 public:
  /// `config` is what target_side returned. `config` and `parameters` must outlive the layer.
  DecoderLayer(const encoder::EncoderConfig& config, const DecoderLayerParameters<T>& parameters,
               std::string place, const TensorTap<T>& tap);

  /// Returns y, and updates the running statistics of this layer in `state`.
  Tensor<T> forward(Tensor<T> x, const Mask& valid, const Memory<T>& memory,
                    const ModelRunSettings& run, NamedTensors<T>& state);

  /// Returns the gradient of x, and stores the gradients of the parameters in `gradients`. Adds the
  /// gradient of the memory to grad_memory; if grad_memory is empty, the gradient of the memory is
  /// stored there. If the norm is PowerNorm, the running statistics of its backward are updated in
  /// `state`.
  Tensor<T> backward(Tensor<T> grad_y, const Memory<T>& memory, const ModelRunSettings& run,
                     NamedTensors<T>& state, DecoderLayerParameters<T>& gradients,
                     Tensor<T>& grad_memory);

 private:
  encoder::LayerCall<T> call(const ModelRunSettings& run, NamedTensors<T>& state) const;
  Tensor<T> run_cross_attention(const encoder::LayerCall<T>& call, const Tensor<T>& x,
                                const Memory<T>& memory);
  Tensor<T> run_cross_attention_backward(const encoder::LayerCall<T>& call, const Tensor<T>& grad_y,
                                         const Memory<T>& memory, nn::CrossAttention<T>& gradients,
                                         Tensor<T>& grad_memory);

  const encoder::EncoderConfig& config_;
  const DecoderLayerParameters<T>& parameters_;
  std::string place_;
  TensorTap<T> tap_;
  Mask valid_;
  DecoderLayerSaved<T> saved_;
};

}  // namespace normproof::ref::decoder
