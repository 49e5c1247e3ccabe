#pragma once

#include "verification/golden/plain/plain_layers.hpp"

namespace normproof::verification::golden::plain {

/// Runs whole Transformers in plain loops: a translator or a language model with head and loss, or
/// decoding token by token. The sites of a translator's encoder begin with "encoder: ", those of
/// the loss with "loss: ".
///
/// Source    docs/specification/encoder.md, docs/specification/decoder.md,
///           docs/specification/training.md
/// Requires  a case of one of model::transformer_operation_names() that certify accepts
std::vector<StoredTensor> run_plain_transformer(const Case& c, const EvalInputs& inputs,
                                                const Style& style, Sites& sites);

}  // namespace normproof::verification::golden::plain
