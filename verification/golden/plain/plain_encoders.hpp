#pragma once

#include "verification/golden/plain/plain_layers.hpp"

namespace normproof::verification::golden::plain {

/// The encoders among what run_plain runs: one layer, the whole with head and loss, and one layer
/// of a decoder. The norms are those of run_plain, behind the sites of the encoder.
///
/// Source    docs/specification/encoder.md, docs/specification/decoder.md,
///           docs/specification/training.md
/// Requires  a case of an encoder or a layer that certify takes
std::vector<StoredTensor> run_plain_encoder(const Case& c, const EvalInputs& inputs,
                                            const Style& style, Sites& sites);

}  // namespace normproof::verification::golden::plain
