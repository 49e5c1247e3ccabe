#pragma once

#include <vector>

#include "ref/train/trainer.hpp"

namespace normproof::verification::studies::published {

/// What the published code scores each position against (fault misaligned_labels): its logits are
/// flattened position-major, the labels sentence-major.
/// Computes  target of sentence b, position t: labels[floor((t B + b) / T)]; kIgnored where
///           `masked` and the token is padding
/// Shapes    batch.labels [B]; the targets [B T], sentence-major, as LabelledBatch has them
std::vector<int> misaligned_targets(const ref::train::LabelledBatch& batch, bool masked);

}  // namespace normproof::verification::studies::published
