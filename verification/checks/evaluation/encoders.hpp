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

/// A function that takes the name of an input matrix and returns its two extents; nothing if the
/// matrix is absent or has another rank.
using MatrixShape =
    std::function<std::optional<std::pair<std::size_t, std::size_t>>(const std::string& name)>;

/// Returns the configuration of the encoder that an operation uses. It has the options of the
/// operation. The extents come from the shapes of the weights, and are 0 if there are no weights. A
/// single encoder layer belongs to an encoder with one layer, one token and one class. For a
/// decoder layer, the result describes a decoder of one layer, in the form of a causal encoder.
ref::model::EncoderConfig encoder_config(const ref::model::EncoderOperation& operation,
                                         const MatrixShape& shape_of);

/// Returns the parameters of an operation in the order of the model's parameters, and the state of
/// its norms before the first step. The names of a single layer have no prefix:
/// "attention.in.weight", "cross_attention.query.bias", "norm1.running_mean".
/// Requires  the preconditions of check_config, or of check_decoder
/// Throws    ContractError
std::vector<ref::encoder::ParameterShape> operation_parameters(
    const ref::model::EncoderOperation& operation, const ref::model::EncoderConfig& config);
ref::tensor::NamedTensors<double> operation_state(const ref::model::EncoderOperation& operation,
                                                  const ref::model::EncoderConfig& config);

/// Returns the names of a layer's dropouts and the shapes of their masks. An encoder layer has
/// "attention.weights", "attention.y", "feed_forward.active" and "feed_forward.y". A decoder layer
/// has "self_attention.weights", "self_attention.y", "cross_attention.weights" (for `source_len`
/// keys), "cross_attention.y", "feed_forward.active" and "feed_forward.y". If the dropout rate is
/// 0, there are none.
std::vector<std::pair<std::string, ref::tensor::Shape>> mask_shapes(
    const ref::model::EncoderOperation& operation, const ref::model::EncoderConfig& config,
    std::size_t batch_size, std::size_t seq_len, std::size_t source_len);

/// Runs an encoder, or a layer of an encoder or decoder, in any scalar type. The inputs are exact.
/// Computes  encoder_layer: y, attention.weights and the state of the norms; if there is a grad_y,
///           also grad_x and grad_<parameter>. decoder_layer: the same, except that
///           self_attention.weights and cross_attention.weights replace attention.weights, and
///           grad_memory is added to the gradients. encoder: logits, loss [1], grad_<parameter> and
///           the state after one training step of ref/train; the gradient of the embedding [V,D] is
///           0 in unused rows
/// Requires  the preconditions of ref/encoder, ref/decoder and ref/train, such as a mask for each
///           dropout of a layer; (C1) an encoder is in training
/// Throws    ContractError
template <ref::numeric::Real T>
ref::tensor::NamedTensors<T> run_encoder(const ref::model::EncoderOperation& operation,
                                         const EncoderTensors& inputs);

}  // namespace normproof::verification::checks::evaluation
