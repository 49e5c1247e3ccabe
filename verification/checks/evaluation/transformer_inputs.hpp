#pragma once

#include "verification/checks/evaluation/tensor_reader.hpp"
#include "verification/checks/evaluation/transformers.hpp"

namespace normproof::verification::checks::evaluation {

/// Reads the inputs of a whole Transformer or of decoding, and converts each exactly to double.
/// Inputs in parentheses are optional.
/// Shapes    translator: source [B,S], tokens and targets [B,T] of int64, (source_valid [B,S]),
///           (valid [B,T]), the parameters under the names of ref/decoder, and the state of its
///           norms.
///           language_model: tokens and targets [B,T], (valid [B,T]), the parameters under the
///           names of ref/encoder, and the state.
///           decoding: tokens [B,T], memory [B,S,D], (memory_valid [B,S]), for each layer l
///           (layers.<l>.self_attention.past_keys and .past_values, both [B,P,D]), and the
///           parameters under the names of ref/decoder without "decoder."
/// Throws    FileError naming the tensor and the expectation; ContractError if the extents do not
///           form a model
TransformerTensors transformer_inputs(const TensorReader& reader,
                                      const ref::model::TransformerOperation& operation,
                                      ref::model::Mode mode);

}  // namespace normproof::verification::checks::evaluation
