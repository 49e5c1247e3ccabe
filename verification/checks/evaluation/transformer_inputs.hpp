#pragma once

#include "verification/checks/evaluation/tensor_reader.hpp"
#include "verification/checks/evaluation/transformers.hpp"

namespace normproof::verification::checks::evaluation {

/// The inputs of a whole Transformer, or of decoding, each widened exactly to double.
/// Shapes    translator: source [B,S], tokens and targets [B,T], int64, source_valid [B,S] and
///           valid [B,T] or none, the parameters under the names of ref/decoder and the state of
///           its norms; language_model: tokens, targets and valid, the names of ref/encoder;
///           decoding: tokens, memory [B,S,D], memory_valid [B,S] or none, for each layer
///           layers.<l>.self_attention.past_keys and .past_values [B,P,D] or none, and the names of
///           ref/decoder without "decoder."
/// Throws    FileError naming the tensor and the expectation; ContractError where the extents make
///           no model
TransformerTensors transformer_inputs(const TensorReader& reader,
                                      const ref::model::TransformerOperation& operation,
                                      ref::model::Mode mode);

}  // namespace normproof::verification::checks::evaluation
