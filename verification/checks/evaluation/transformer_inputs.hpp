#pragma once

#include "verification/checks/evaluation/tensor_reader.hpp"
#include "verification/checks/evaluation/transformers.hpp"

namespace normproof::verification::checks::evaluation {

/// Reads the inputs of a whole Transformer or of decoding, and converts each exactly to double.
/// Shapes    translator: source [B,S], tokens and targets [B,T], int64, optional source_valid [B,S]
///           and valid [B,T], the parameters under the names of ref/decoder, and the state of its
///           norms. language_model: tokens, targets and valid [B,T], the parameters under the names
///           of ref/encoder, and the state. decoding: tokens [B,T], memory [B,S,D], optional
///           memory_valid [B,S], for each layer optional layers.<l>.self_attention.past_keys and
///           .past_values [B,P,D], and the parameters under the names of ref/decoder without
///           "decoder."
/// Throws    FileError naming the tensor and the expectation; ContractError if the extents do not
///           form a model
TransformerTensors transformer_inputs(const TensorReader& reader,
                                      const ref::model::TransformerOperation& operation,
                                      ref::model::Mode mode);

}  // namespace normproof::verification::checks::evaluation
