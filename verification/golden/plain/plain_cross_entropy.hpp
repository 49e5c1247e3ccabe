#pragma once

#include "verification/golden/plain/plain_layers.hpp"

namespace normproof::verification::golden::plain {

/// Computes softmax with cross-entropy and its gradient with simple loops.
///
/// Source    docs/specification/training.md
/// Requires  a case of cross_entropy that certify accepts
std::vector<StoredTensor> run_plain_cross_entropy(const Case& c, const EvalInputs& inputs,
                                                  const Style& style, Sites& sites);

}  // namespace normproof::verification::golden::plain
