#pragma once

#include <string_view>

#include "gpu/encoder/encoder.hpp"
#include "gpu/train/gradients.hpp"

/// Computes the mean gradient of the batches of a step, with the bits of
/// ref/train/accumulation.hpp.
namespace normproof::gpu::train {

/// Returns an encoder's gradients by name.
Gradients by_name(encoder::EncoderGradients own);

/// Adds the gradients of a batch to the sum. Both must have the same parameters in the same lists.
void accumulate(Gradients& sum, Gradients own);

/// Divides every element by `count`, in place.
void divide(Gradients& gradients, std::size_t count);

/// Sets the iteration count of PowerNorm to one more than before the step. The warm-up in the paper
/// counts optimizer steps, however many batches they have. Only norms at places whose names begin
/// with `places` are affected.
void count_as_one_step(const ref::model::NormOptions& norm, NamedDeviceTensors& norms,
                       const NamedDeviceTensors& before, std::string_view places = "");

}  // namespace normproof::gpu::train
