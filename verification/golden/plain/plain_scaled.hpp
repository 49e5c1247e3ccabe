#pragma once

#include <vector>

#include "verification/golden/plain/plain_layers.hpp"

namespace normproof::verification::golden::plain {

/// Runs an 8-bit case in plain loops: multiplies inputs by their scales, runs the operation in
/// float32, divides y and the gradients by their scale or block scales, and rounds once.
///
/// Source    docs/guide/formats.md, "8 bits with scales"; [RZM+23], Algorithm 1
/// Requires  corpus::is_scaled(c)
std::vector<StoredTensor> run_plain_scaled(const Case& c, const EvalInputs& inputs,
                                           const Style& style, Sites& sites);

}  // namespace normproof::verification::golden::plain
