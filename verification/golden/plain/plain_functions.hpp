#pragma once

#include "verification/golden/plain/plain_layers.hpp"

namespace normproof::verification::golden::plain {

/// The functions among what run_plain runs: softmax and its kin, the activations, attention.
///
/// Source    docs/specification/activations.md
/// Requires  a case of a function that certify takes
std::vector<StoredTensor> run_plain_function(const Case& c, const EvalInputs& inputs,
                                             const Style& style, Sites& sites);

}  // namespace normproof::verification::golden::plain
