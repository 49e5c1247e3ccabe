#pragma once

#include "verification/golden/plain/plain_layers.hpp"

namespace normproof::verification::golden::plain {

/// Attention alone among what run_plain runs, forward and backward.
///
/// Source    docs/specification/attention.md
/// Requires  a case of attention that certify takes
std::vector<StoredTensor> run_plain_attention(const Case& c, const EvalInputs& inputs,
                                              const Style& style, Sites& sites);

}  // namespace normproof::verification::golden::plain
