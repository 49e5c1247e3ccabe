#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "ref/encoder/sublayers.hpp"

namespace normproof::ref::encoder {

template <class T>
struct EncoderLayerSaved {
  ResidualSublayer<T> attending, feeding;
  nn::AttentionSaved<T> attention;
  nn::FeedForwardSaved<T> feed_forward;
};

/// The input of a layer. It is saved if the backward of the layer computes the forward again.
template <class T>
struct EncoderLayerInput {
  Tensor<T> x;
  NamedTensors<T> state;  ///< the running statistics of this layer
};

/// The results of a layer's forward that the layer saves for its backward. `weights` says whether
/// it saves the attention weights, and `rest` whether it saves all other results. If `rest` is
/// false, the layer saves only its input, and the backward computes the forward again.
struct SavedResults {
  bool weights = true, rest = true;
};

/// The approximate sizes in bytes of the results that a layer may save: of the attention weights,
/// and of all other results.
struct SavedResultBytes {
  std::size_t weights = 0, rest = 0;
};
SavedResultBytes saved_result_bytes(const EncoderConfig& config, std::size_t batch_size,
                                    std::size_t seq_len, std::size_t bytes_of_scalar);

/// One layer of a Transformer encoder. `place`, such as "layers.0", is the prefix of the names of
/// its dropouts, running statistics and recorded tensors (Tap).
/// Source    [VSP+17] section 3.1 (post), [XYH+20] (pre); docs/specification/encoder.md
/// Computes  post: h = norm1(x + dropout(attention(x))) ; y = norm2(h + dropout(feed_forward(h))) ;
///           pre: h = x + dropout(attention(norm1(x))) ; y = h + dropout(feed_forward(norm2(h)))
/// Shapes    x, y [B,T,D]; valid [B,T], true for a real token, or empty if all tokens are real
/// Requires  the requirements of its parts; (C1) run.masks, if given, has a mask for each dropout
/// Order     as in its parts; a residual sum is rounded once per element
/// Throws    ContractError, also if run.masks lacks the mask of a dropout
template <numeric::Real T>
class EncoderLayer {
 public:
  EncoderLayer(const EncoderConfig& config, const EncoderLayerParameters<T>& parameters,
               std::string place, const TensorTap<T>& tap);

  /// Returns y, and updates the running statistics of this layer in `state`. `keep` says which
  /// results are saved; it does not affect the bits of y.
  Tensor<T> forward(Tensor<T> x, const Mask& valid, const ModelRunSettings& run,
                    NamedTensors<T>& state, SavedResults keep = {});

  /// Returns the gradient of x, and stores the gradients of the parameters in `gradients`. If the
  /// norm is PowerNorm, the running statistics of its backward are updated in `state`.
  Tensor<T> backward(Tensor<T> grad_y, const ModelRunSettings& run, NamedTensors<T>& state,
                     EncoderLayerParameters<T>& gradients);

 private:
  Tensor<T> forward_and_save(Tensor<T> x, const ModelRunSettings& run, NamedTensors<T>& state);
  LayerCall<T> call(const ModelRunSettings& run, NamedTensors<T>& state) const;
  nn::AttentionOptions attention_options() const;

  const EncoderConfig& config_;
  const EncoderLayerParameters<T>& parameters_;
  std::string place_;
  TensorTap<T> tap_;  ///< is empty while the forward is computed again
  SavedResults keep_;
  Mask valid_;
  EncoderLayerSaved<T> saved_;
  std::optional<EncoderLayerInput<T>> start_;
};

}  // namespace normproof::ref::encoder
