#pragma once

#include "verification/golden/plain/plain_layers.hpp"

namespace normproof::verification::golden::plain {

/// The whole Transformers among what run_plain runs: a translator and a language model with head
/// and loss, and decoding token by token. Sites of a translator's encoder begin with "encoder: ",
/// those of the loss with "loss: ".
///
/// Source    docs/specification/encoder.md, docs/specification/decoder.md,
///           docs/specification/training.md
/// Requires  a case of one of model::transformer_operation_names() that certify takes
std::vector<StoredTensor> run_plain_transformer(const Case& c, const EvalInputs& inputs,
                                                const Style& style, Sites& sites);

}  // namespace normproof::verification::golden::plain
