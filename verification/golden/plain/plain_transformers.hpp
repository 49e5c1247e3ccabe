#pragma once

#include "verification/golden/plain/plain_layers.hpp"

namespace normproof::verification::golden::plain {

/// Runs a whole Transformer with simple loops: a translator or a language model with head and loss,
/// or decoding token by token. Sites in a translator's encoder have the prefix "encoder: ". Sites
/// in the loss have the prefix "loss: ".
///
/// Source    docs/specification/encoder.md, docs/specification/decoder.md,
///           docs/specification/training.md
/// Requires  a case of one of model::transformer_operation_names() that certify accepts
std::vector<StoredTensor> run_plain_transformer(const Case& c, const EvalInputs& inputs,
                                                const Style& style, Sites& sites);

}  // namespace normproof::verification::golden::plain
