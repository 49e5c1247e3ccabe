#pragma once

#include "verification/golden/plain/plain_layers.hpp"

namespace normproof::verification::golden::plain {

/// Runs the steps of an optimizer with simple loops.
///
/// Source    docs/specification/training.md
/// Requires  a case of an optimizer that certify accepts
std::vector<StoredTensor> run_plain_optimizer(const Case& c, const EvalInputs& inputs,
                                              const Style& style, Sites& sites);

}  // namespace normproof::verification::golden::plain
