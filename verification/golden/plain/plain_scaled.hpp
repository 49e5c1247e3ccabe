#pragma once

#include <vector>

#include "verification/golden/plain/plain_layers.hpp"

namespace normproof::verification::golden::plain {

/// run_plain of a case of 8 bits: inputs times their scales, the operation in float32, y and the
/// gradients with a scale divided by it, or by the scales of their blocks, and rounded once.
///
/// Source    docs/guide/formats.md, "8 bits with scales"; [RZM+23], Algorithm 1
/// Requires  corpus::is_scaled(c)
std::vector<StoredTensor> run_plain_scaled(const Case& c, const EvalInputs& inputs,
                                           const Style& style, Sites& sites);

}  // namespace normproof::verification::golden::plain
