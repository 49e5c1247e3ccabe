#pragma once

#include "verification/golden/plain/plain_layers.hpp"

namespace normproof::verification::golden::plain {

/// The optimizers among what run_plain runs.
///
/// Source    docs/specification/training.md
/// Requires  a case of an optimizer that certify takes
std::vector<StoredTensor> run_plain_optimizer(const Case& c, const EvalInputs& inputs,
                                              const Style& style, Sites& sites);

}  // namespace normproof::verification::golden::plain
