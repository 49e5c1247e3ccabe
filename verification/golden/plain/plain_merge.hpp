#pragma once

#include "verification/golden/plain/plain_layers.hpp"

namespace normproof::verification::golden::plain {

/// Merges partial results of attention, forward and backward, with simple loops.
///
/// Source    docs/specification/attention.md
/// Requires  a case of merge_attention_states that certify accepts
std::vector<StoredTensor> run_plain_merge(const Case& c, const EvalInputs& inputs,
                                          const Style& style, Sites& sites);

}  // namespace normproof::verification::golden::plain
