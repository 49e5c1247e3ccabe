#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ref/encoder/encoder.hpp"
#include "ref/model/operation.hpp"
#include "ref/model/operation_inputs.hpp"

namespace normproof::verification::checks::evaluation {

using ref::model::EncoderTensors;

/// The shape that a tensor of the inputs has; nothing where it is absent or has another rank.
using MatrixShape =
    std::function<std::optional<std::pair<std::size_t, std::size_t>>(const std::string& name)>;

/// The encoder that an operation is about: its options, and the extents of its weights, 0 where
/// there are none. A layer is the only one of an encoder with one token and one class, and that of
/// a decoder one of its causal side.
ref::model::EncoderConfig encoder_config(const ref::model::EncoderOperation& operation,
                                         const MatrixShape& shape_of);

/// What the operation has of parameters, in the order of the model's, and what its norms carry
/// before the first step. Those of a layer are without its place: "attention.in.weight",
/// "cross_attention.query.bias", "norm1.running_mean".
/// Requires  those of check_config, or of check_decoder
/// Throws    ContractError
std::vector<ref::encoder::ParameterShape> own_parameters(
    const ref::model::EncoderOperation& operation, const ref::model::EncoderConfig& config);
ref::tensor::NamedTensors<double> own_state(const ref::model::EncoderOperation& operation,
                                            const ref::model::EncoderConfig& config);

/// The places of a layer's dropouts with the shapes of what they drop; none where the rate is 0:
/// "attention.weights", "attention.y", "feed_forward.active" and "feed_forward.y"; of a decoder
/// "self_attention.weights" and ".y", and those of "cross_attention" to `source_len` keys, in place
/// of the first two.
std::vector<std::pair<std::string, ref::tensor::Shape>> mask_shapes(
    const ref::model::EncoderOperation& operation, const ref::model::EncoderConfig& config,
    std::size_t batch_size, std::size_t seq_len, std::size_t source_len);

/// Computes  encoder_layer: y, attention.weights, the state of the norms, and where there is a
///           grad_y grad_x and grad_<parameter>; decoder_layer: the same, with
///           self_attention.weights, cross_attention.weights and grad_memory; encoder: logits,
///           loss [1], grad_<parameter> (of the embedding [V,D]: 0 in rows that do not occur) and
///           the state, as one step of ref/train leaves them, in any scalar: the inputs are exact
/// Requires  those of ref/encoder, ref/decoder and ref/train, as a mask for each dropout of a
///           layer; (C1) an encoder is in training
/// Throws    ContractError
template <ref::numeric::Real T>
ref::tensor::NamedTensors<T> run_encoder(const ref::model::EncoderOperation& operation,
                                         const EncoderTensors& inputs);

}  // namespace normproof::verification::checks::evaluation
