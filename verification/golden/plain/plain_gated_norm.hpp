#pragma once

#include "verification/golden/plain/plain_layers.hpp"

namespace normproof::verification::golden::plain {

/// Runs gated_rms_norm, forward and backward, with simple loops.
///
/// Source    docs/specification/norms.md
/// Requires  a case of gated_rms_norm that certify accepts
std::vector<StoredTensor> run_plain_gated_norm(const Case& c, const EvalInputs& inputs,
                                               const Style& style, Sites& sites);

}  // namespace normproof::verification::golden::plain
