#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "ref/model/norm_options.hpp"

namespace normproof::ref::model {

enum class Activation { relu, gelu, gelu_tanh };
/// The placement of norms in a layer. With `post`, a layer computes `norm(x + sublayer(x))`. With
/// `pre`, it computes `x + sublayer(norm(x))`, and one more norm follows the last layer.
enum class NormPlacement { post, pre };
/// The input of the classification head. With `masked_mean`, it is the mean of the real tokens of a
/// sentence, so there is one prediction per sentence. With `per_position`, it is the features of
/// each position, so there is one prediction per position.
enum class Pooling { masked_mean, per_position };

template <class E>
using EnumNames = std::span<const std::pair<const char*, E>>;

inline EnumNames<Activation> enum_names(Activation) {
  static constexpr std::pair<const char*, Activation> kNames[] = {
      {"relu", Activation::relu}, {"gelu", Activation::gelu}, {"gelu_tanh", Activation::gelu_tanh}};
  return kNames;
}
inline EnumNames<NormPlacement> enum_names(NormPlacement) {
  static constexpr std::pair<const char*, NormPlacement> kNames[] = {{"post", NormPlacement::post},
                                                                     {"pre", NormPlacement::pre}};
  return kNames;
}
inline EnumNames<Pooling> enum_names(Pooling) {
  static constexpr std::pair<const char*, Pooling> kNames[] = {
      {"masked_mean", Pooling::masked_mean}, {"per_position", Pooling::per_position}};
  return kNames;
}

/// The configuration of a Transformer encoder with a classification head.
struct EncoderConfig {
  std::size_t vocab_size = 0;
  std::size_t d_model = 32;
  std::size_t num_heads = 8;
  std::size_t d_ff = 320;
  std::size_t num_layers = 1;
  std::size_t num_classes = 3;
  Activation activation = Activation::relu;
  NormPlacement placement = NormPlacement::post;
  Pooling pooling = Pooling::masked_mean;
  NormOptions norm = LayerNormOptions{};
  bool positions = true;          ///< adds sinusoidal positions to the embedding
  bool scaled_embedding = false;  ///< multiplies the embedding by sqrt(d_model) first
  bool mask_padding = true;       ///< excludes padding from attention and from statistics
  /// The probability of dropout. Dropout is applied to attention weights, inside the feed-forward,
  /// and to the output of both sublayers.
  double dropout = 0.1;
  bool causal = false;     ///< a position attends only to itself and earlier positions
  bool tied_head = false;  ///< the head uses the embedding's weight and its own bias
};

}  // namespace normproof::ref::model
