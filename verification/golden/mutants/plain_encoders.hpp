#pragma once

#include "verification/golden/mutants/plain_layers.hpp"

namespace normproof::verification::golden::mutants {

/// The encoders among what run_plain runs: one layer, and the whole with head and loss. The norms
/// are those of run_plain, behind the sites of the encoder.
///
/// Source    docs/specification/encoder.md, docs/specification/training.md
/// Requires  a case of an encoder that certify takes
std::vector<StoredTensor> run_plain_encoder(const Case& c, const EvalInputs& inputs,
                                            const Style& style, Sites& sites);

}  // namespace normproof::verification::golden::mutants
