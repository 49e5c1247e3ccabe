#pragma once

#include <vector>

#include "verification/golden/plain/plain_layers.hpp"

namespace normproof::verification::golden::plain {

/// Runs a case with 8-bit tensors. First, inputs are multiplied by their scales. Then the operation
/// runs in float32 with simple loops. Finally, y and the gradients are divided by their scales, and
/// the quotients are rounded once.
///
/// Source    docs/guide/formats.md, "8 bits with scales"; [RZM+23], Algorithm 1
/// Requires  corpus::is_scaled(c)
std::vector<StoredTensor> run_plain_with_scaling(const Case& c, const EvalInputs& inputs,
                                                 const Style& style, Sites& sites);

}  // namespace normproof::verification::golden::plain
