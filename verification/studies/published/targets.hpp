#pragma once

#include <vector>

#include "ref/train/trainer.hpp"

namespace normproof::verification::studies::published {

/// Returns the targets that the published code computes. Because of its fault misaligned_labels, it
/// flattens the logits in position-major order, but the labels in sentence-major order.
///
/// Computes  the target of position t in sentence b: labels[floor((t B + b) / T)], for B sentences
///           of T positions. It is kIgnored if `masked` is true and the token is padding
/// Shapes    batch.labels [B]; the targets [B T], sentence-major, as in LabelledBatch
std::vector<int> misaligned_targets(const ref::train::LabelledBatch& batch, bool masked);

}  // namespace normproof::verification::studies::published
