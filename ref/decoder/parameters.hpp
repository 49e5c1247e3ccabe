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

/// The parameters of the whole translation model, or their gradients.
template <class T>
struct DecoderParameters {
  encoder::EncoderParameters<T> encoder;  ///< the source side, without a head
  Tensor<T> embedding;                    ///< [V,D], the embedding of the target
  std::vector<DecoderLayerParameters<T>> layers;
  norm::NormParameters<T> final_norm;  ///< exists only for the placement `pre`
  nn::Linear<T> head;                  ///< [V,D], or empty if it is tied; [V]
};

/// Checks the configuration of a translation model.
/// Requires  the requirements of encoder::check_config for both sides (encoder and decoder),
///           including the norms after the last layers
/// Throws    ContractError that names the field with its side, such as "decoder.final_norm"
void check_decoder(std::string_view function, const DecoderConfig& config);

/// Returns the names and shapes of all parameters, in the order that optimizers, files and hashes
/// use. First come the parameters with the prefix "encoder.": the embedding; for each layer
/// attention, norm1, feed_forward, norm2; then final_norm. Then come the parameters with the prefix
/// "decoder.": the embedding; for each layer self_attention, norm1, cross_attention, norm2,
/// feed_forward, norm3; then final_norm. The head is last. The parameters of a norm have the order
/// that its NormLayer states. A tied head has only a bias.
std::vector<ParameterShape> parameter_shapes(const DecoderConfig& config);

/// Returns the initial value of the parameter `name` if the parameter belongs to a norm. Otherwise
/// the result is empty.
std::optional<double> initial_norm_value(const DecoderConfig& config, std::string_view name);

/// Returns the non-empty tensors of `parameters` with their names, in the order of
/// parameter_shapes.
template <numeric::Real T>
NamedTensors<T> to_named(DecoderParameters<T> parameters);

/// Reverses to_named: returns the parameters that the names and tensors in `named` describe.
/// Requires  (C5) of encoder::from_named
/// Throws    ContractError, and leaves `named` unchanged
template <numeric::Real T>
DecoderParameters<T> from_named(const DecoderConfig& config, NamedTensors<T>&& named);
template <numeric::Real T>
DecoderParameters<T> from_named(const DecoderConfig& config, const NamedTensors<T>& named) {
  return from_named(config, NamedTensors<T>(named));
}

/// Returns the initial running statistics of all norms by name, such as
/// "encoder.layers.0.norm1.running_mean".
template <numeric::Real T>
NamedTensors<T> initial_norm_state(const DecoderConfig& config);

}  // namespace normproof::ref::decoder
