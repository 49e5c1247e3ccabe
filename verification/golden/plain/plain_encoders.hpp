#pragma once

#include "verification/golden/plain/plain_layers.hpp"

namespace normproof::verification::golden::plain {

/// Runs one encoder layer, one decoder layer, or the whole encoder with head and loss, with simple
/// loops. The norms in them are computed as in run_plain. The names of the norms' sites for
/// injected errors have the prefix "norm: ".
///
/// Source    docs/specification/encoder.md, docs/specification/decoder.md,
///           docs/specification/training.md
/// Requires  a case of an encoder or a layer that certify accepts
std::vector<StoredTensor> run_plain_encoder(const Case& c, const EvalInputs& inputs,
                                            const Style& style, Sites& sites);

}  // namespace normproof::verification::golden::plain
