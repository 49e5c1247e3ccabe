#pragma once

#include "gpu/encoder/encoder.hpp"
#include "gpu/train/gradients.hpp"

namespace normproof::gpu::train {

/// The gradients of a batch, added to those of the batches before it: the bits of
/// ref/train/trainer.hpp.
void accumulate(Gradients& sum, encoder::EncoderGradients own);

/// Every element over `count`, in place.
void divide(Gradients& gradients, std::size_t count);

}  // namespace normproof::gpu::train
