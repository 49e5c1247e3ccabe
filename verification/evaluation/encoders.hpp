#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ref/encoder/encoder.hpp"
#include "ref/model/operation.hpp"
#include "verification/operands/operands.hpp"

namespace normproof::verification::evaluation {

using operands::EncoderTensors;

/// The shape that a tensor of the inputs has; nothing where it is absent or has another rank.
using MatrixShape =
    std::function<std::optional<std::pair<std::size_t, std::size_t>>(const std::string& name)>;

/// The encoder that an operation is about: its options, and the extents of its weights, 0 where
/// there are none. A layer is the only one of an encoder with one token and one class.
ref::model::EncoderConfig encoder_config(const ref::model::EncoderOperation& operation,
                                         const MatrixShape& shape_of);

/// The name below "layers.0." where the operation is a layer: "attention.in.weight".
/// Nothing where the layer has no such tensor.
std::optional<std::string> name_in(const ref::model::EncoderOperation& operation,
                                   const std::string& name);

/// The places of a layer's dropouts, "attention.weights", "attention.y", "feed_forward.active" and
/// "feed_forward.y", with the shapes of what they drop; none where the rate is 0.
std::vector<std::pair<std::string, ref::tensor::Shape>> mask_shapes(
    const ref::model::EncoderConfig& config, std::size_t batch_size, std::size_t seq_len);

/// Computes  encoder_layer: y, attention.weights, the state of the norms, and where there is a
///           grad_y grad_x and grad_<parameter>; encoder: logits, loss [1], grad_<parameter> (of
///           the embedding [V,D]: 0 in rows that do not occur) and the state, as one step of
///           ref/train leaves them, in any scalar: the inputs are exact
/// Requires  those of ref/encoder and ref/train, as a mask for each dropout of a layer; (C1) an
///           encoder is in training
/// Throws    ContractError
template <ref::numeric::Real T>
ref::tensor::NamedTensors<T> run_encoder(const ref::model::EncoderOperation& operation,
                                         const EncoderTensors& inputs);

}  // namespace normproof::verification::evaluation
