#pragma once

#include "ref/decoder/parameters.hpp"
#include "ref/model/operation.hpp"
#include "verification/checks/evaluation/encoders.hpp"

namespace normproof::verification::checks::evaluation {

using ref::model::TransformerTensors;

/// The model that an operation is about: its options, and the extents of its weights, 0 where
/// there are none. What is the decoder's alone has an encoder of one word beside it.
ref::model::DecoderConfig transformer_config(const ref::model::TransformerOperation& operation,
                                             const MatrixShape& shape_of);

/// What the operation has of parameters, in the order of the model's, and what its norms carry: of
/// a translator under the names of ref/decoder, of a language model under those of ref/encoder, of
/// decoding under those of ref/decoder without "decoder.".
/// Requires  those of decoder::check_decoder
/// Throws    ContractError
std::vector<ref::encoder::ParameterShape> transformer_parameters(
    const ref::model::TransformerOperation& operation, const ref::model::DecoderConfig& config);
ref::tensor::NamedTensors<double> transformer_state(
    const ref::model::TransformerOperation& operation, const ref::model::DecoderConfig& config);

/// What the parameter of a norm begins with; nothing where it is no norm's.
std::optional<double> initial_norm_value(const ref::model::TransformerOperation& operation,
                                         const ref::model::DecoderConfig& config,
                                         const std::string& parameter);

/// Computes  translator, language_model: logits [B,T,V], the loss [1], which is the mean
///           cross-entropy of the targets of real tokens, grad_<parameter> (of embeddings [V,D]: 0
///           in rows that do not occur) and the state of the norms, as a step of training leaves
///           them; decoding: logits [B,T,V], layers.<l>.self_attention.keys and .values [B,P+T,D],
///           sentence by sentence and token by token
/// Requires  those of ref/decoder, ref/encoder and ref/train; (C1) translator and language_model
///           are in training, decoding in inference
/// Throws    ContractError
template <ref::numeric::Real T>
ref::tensor::NamedTensors<T> run_transformer(const ref::model::TransformerOperation& operation,
                                             const TransformerTensors& inputs);

}  // namespace normproof::verification::checks::evaluation
