#pragma once

#include "verification/golden/plain/plain_layers.hpp"

namespace normproof::verification::golden::plain {

/// Softmax with cross-entropy among what run_plain runs, with its gradient.
///
/// Source    docs/specification/training.md
/// Requires  a case of cross_entropy that certify takes
std::vector<StoredTensor> run_plain_cross_entropy(const Case& c, const EvalInputs& inputs,
                                                  const Style& style, Sites& sites);

}  // namespace normproof::verification::golden::plain
