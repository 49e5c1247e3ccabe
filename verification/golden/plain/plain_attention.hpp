#pragma once

#include "verification/golden/plain/plain_layers.hpp"

namespace normproof::verification::golden::plain {

/// Runs scaled dot-product attention, forward and backward, with simple loops.
///
/// Source    docs/specification/attention.md
/// Requires  a case of attention that certify accepts
std::vector<StoredTensor> run_plain_attention(const Case& c, const EvalInputs& inputs,
                                              const Style& style, Sites& sites);

}  // namespace normproof::verification::golden::plain
