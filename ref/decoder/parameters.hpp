#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ref/encoder/parameters.hpp"
#include "ref/model/decoder_config.hpp"
#include "ref/nn/cross_attention.hpp"

namespace normproof::ref::decoder {

using encoder::ParameterShape;
using model::DecoderConfig;
using model::source_side;
using model::target_side;
using tensor::Mask;
using tensor::NamedTensors;
using tensor::Tensor;

template <class T>
struct DecoderLayerParameters {
  nn::Attention<T> self_attention;
  norm::NormParameters<T> norm1;
  nn::CrossAttention<T> cross_attention;
  norm::NormParameters<T> norm2;
  nn::FeedForward<T> feed_forward;
  norm::NormParameters<T> norm3;
};

/// The parameters of both sides, or the gradients by them.
template <class T>
struct DecoderParameters {
  encoder::EncoderParameters<T> encoder;  ///< of the source, without a head
  Tensor<T> embedding;                    ///< [V,D], of the target
  std::vector<DecoderLayerParameters<T>> layers;
  norm::NormParameters<T> final_norm;  ///< of the placement `pre` alone
  nn::Linear<T> head;                  ///< [V,D], or empty where it is tied; [V]
};

/// Checks    what a model needs of its description
/// Requires  those of encoder::check_config of both sides, with the norms after the last layers too
/// Throws    ContractError naming the field behind its side: "decoder.final_norm"
void check_decoder(std::string_view function, const DecoderConfig& config);

/// Every parameter in the one order that optimizers, files and hashes keep. "encoder.": the
/// embedding, layer by layer attention, norm1, feed_forward, norm2, then final_norm. "decoder.":
/// the embedding, layer by layer self_attention, norm1, cross_attention, norm2, feed_forward,
/// norm3, then final_norm. Then the head. A norm has the parameters of model::norm_layer, in their
/// order. A tied head has a bias alone.
std::vector<ParameterShape> parameter_shapes(const DecoderConfig& config);

/// What the parameter of a norm begins with; nothing where it is no norm's.
std::optional<double> initial_norm_value(const DecoderConfig& config, std::string_view name);

/// The tensors by name, in that order; those that are empty are left out.
template <numeric::Real T>
NamedTensors<T> to_named(DecoderParameters<T> parameters);

/// The parameters whose names and values to_named gave.
/// Requires  (C5) of encoder::from_named
/// Throws    ContractError; then `named` is as before
template <numeric::Real T>
DecoderParameters<T> from_named(const DecoderConfig& config, NamedTensors<T>&& named);
template <numeric::Real T>
DecoderParameters<T> from_named(const DecoderConfig& config, const NamedTensors<T>& named) {
  return from_named(config, NamedTensors<T>(named));
}

/// What the norms carry from step to step: "encoder.layers.0.norm1.running_mean", ...
template <numeric::Real T>
NamedTensors<T> initial_norm_state(const DecoderConfig& config);

}  // namespace normproof::ref::decoder
