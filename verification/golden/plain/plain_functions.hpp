#pragma once

#include "verification/golden/plain/plain_layers.hpp"

namespace normproof::verification::golden::plain {

/// Runs functions with simple loops: softmax and related functions, the activations, attention,
/// rotary embeddings and cross-entropy.
///
/// Source    docs/specification/activations.md
/// Requires  a case of a function that certify accepts
std::vector<StoredTensor> run_plain_function(const Case& c, const EvalInputs& inputs,
                                             const Style& style, Sites& sites);

}  // namespace normproof::verification::golden::plain
