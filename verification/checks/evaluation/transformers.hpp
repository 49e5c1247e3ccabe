#pragma once

#include "ref/decoder/parameters.hpp"
#include "ref/model/operation.hpp"
#include "verification/checks/evaluation/encoders.hpp"

namespace normproof::verification::checks::evaluation {

using ref::model::TransformerTensors;

/// Returns the configuration of the model that an operation uses: its options and its extents. The
/// extents come from the shapes of the weights. Extents are 0 if there are no weights. If the
/// operation has only a decoder, the encoder has a vocabulary of one token.
ref::model::DecoderConfig transformer_config(const ref::model::TransformerOperation& operation,
                                             const MatrixShape& shape_of);

/// Returns the parameters of an operation in the order of the model's parameters, and the state of
/// its norms. The operation `translator` uses the names of ref/decoder, and `language_model` the
/// names of ref/encoder. `decoding` uses the names of ref/decoder without the prefix "decoder.".
/// Requires  the preconditions of decoder::check_decoder
/// Throws    ContractError
std::vector<ref::encoder::ParameterShape> transformer_parameters(
    const ref::model::TransformerOperation& operation, const ref::model::DecoderConfig& config);
ref::tensor::NamedTensors<double> transformer_state(
    const ref::model::TransformerOperation& operation, const ref::model::DecoderConfig& config);

/// Returns the initial value of a norm's parameter; nothing for any other parameter.
std::optional<double> initial_norm_value(const ref::model::TransformerOperation& operation,
                                         const ref::model::DecoderConfig& config,
                                         const std::string& parameter);

/// Runs a whole Transformer, or decoding, in any scalar type.
/// Computes  translator and language_model: logits [B,T,V]; the loss [1], which is the mean
///           cross-entropy of the targets of real tokens; grad_<parameter>, 0 in unused rows of
///           embeddings [V,D]; and the state of the norms after a training step. decoding: logits
///           [B,T,V], layers.<l>.self_attention.keys and .values [B,P+T,D], computed sentence by
///           sentence and token by token
/// Requires  the preconditions of ref/decoder, ref/encoder and ref/train; (C1) translator and
///           language_model are in training, decoding in inference
/// Throws    ContractError
template <ref::numeric::Real T>
ref::tensor::NamedTensors<T> run_transformer(const ref::model::TransformerOperation& operation,
                                             const TransformerTensors& inputs);

}  // namespace normproof::verification::checks::evaluation
