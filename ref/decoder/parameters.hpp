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

/// The parameters of both sides, or their gradients.
template <class T>
struct DecoderParameters {
  encoder::EncoderParameters<T> encoder;  ///< of the source, without a head
  Tensor<T> embedding;                    ///< [V,D], of the target
  std::vector<DecoderLayerParameters<T>> layers;
  norm::NormParameters<T> final_norm;  ///< only for the placement `pre`
  nn::Linear<T> head;                  ///< [V,D], or empty if it is tied; [V]
};

/// Checks the description of a model.
/// Requires  those of encoder::check_config for both sides, including the norms after the last
///           layers
/// Throws    ContractError naming the field with its side: "decoder.final_norm"
void check_decoder(std::string_view function, const DecoderConfig& config);

/// Returns all parameters in the order that optimizers, files and hashes use. "encoder.": the
/// embedding; for each layer attention, norm1, feed_forward, norm2; then final_norm. "decoder.":
/// the embedding; for each layer self_attention, norm1, cross_attention, norm2, feed_forward,
/// norm3; then final_norm. Then the head. A norm has the parameters of model::norm_layer, in their
/// order. A tied head has only a bias.
std::vector<ParameterShape> parameter_shapes(const DecoderConfig& config);

/// Returns the initial value of a norm's parameter, or nothing if the parameter does not belong to
/// a norm.
std::optional<double> initial_norm_value(const DecoderConfig& config, std::string_view name);

/// Returns the non-empty tensors by name, in that order.
template <numeric::Real T>
NamedTensors<T> to_named(DecoderParameters<T> parameters);

/// Returns the parameters from the names and values that to_named returned.
/// Requires  (C5) of encoder::from_named
/// Throws    ContractError, and leaves `named` unchanged
template <numeric::Real T>
DecoderParameters<T> from_named(const DecoderConfig& config, NamedTensors<T>&& named);
template <numeric::Real T>
DecoderParameters<T> from_named(const DecoderConfig& config, const NamedTensors<T>& named) {
  return from_named(config, NamedTensors<T>(named));
}

/// Returns the initial values of what the norms carry from step to step:
/// "encoder.layers.0.norm1.running_mean", ...
template <numeric::Real T>
NamedTensors<T> initial_norm_state(const DecoderConfig& config);

}  // namespace normproof::ref::decoder
