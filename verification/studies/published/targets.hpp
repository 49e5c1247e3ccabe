#pragma once

#include <vector>

#include "ref/train/trainer.hpp"

namespace normproof::verification::studies::published {

/// Returns the targets of the published code (fault misaligned_labels), which flattens the logits
/// position-major but the labels sentence-major.
///
/// Computes  the target of sentence b, position t: labels[floor((t B + b) / T)]; kIgnored if
///           `masked` and the token is padding
/// Shapes    batch.labels [B]; the targets [B T], sentence-major, as LabelledBatch has them
std::vector<int> misaligned_targets(const ref::train::LabelledBatch& batch, bool masked);

}  // namespace normproof::verification::studies::published
