#pragma once

#include <string_view>

#include "gpu/encoder/encoder.hpp"
#include "gpu/train/gradients.hpp"

/// The mean gradient of the batches of a step: the bits of ref/train/accumulation.hpp.
namespace normproof::gpu::train {

/// An encoder's gradients by name.
Gradients by_name(encoder::EncoderGradients own);

/// The gradients of a batch, added to those before it: the same parameters in the same lists.
void accumulate(Gradients& sum, Gradients own);

/// Every element over `count`, in place.
void divide(Gradients& gradients, std::size_t count);

/// The paper's warm-up of PowerNorm counts optimizer steps, however many batches they have: of the
/// norm at the places whose names begin so.
void count_once(const ref::model::NormOptions& norm, NamedDeviceTensors& norms,
                const NamedDeviceTensors& before, std::string_view places = "");

}  // namespace normproof::gpu::train
