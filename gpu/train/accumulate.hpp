#pragma once

#include <string_view>

#include "gpu/encoder/encoder.hpp"
#include "gpu/train/gradients.hpp"

/// Computes the mean gradient of the batches of a step, with the bits of
/// ref/train/accumulation.hpp.
namespace normproof::gpu::train {

/// Returns an encoder's gradients as lists of names and tensors.
Gradients to_named_gradients(encoder::EncoderGradients own);

/// Adds `own`, the gradients of a batch, to `sum`. `own` and `sum` must contain the same parameters
/// in the same lists.
void accumulate(Gradients& sum, Gradients own);

/// Divides every element of the gradients by `count`, in place.
void divide(Gradients& gradients, std::size_t count);

/// Sets PowerNorm's iteration count to one more than its value before the step. The warm-up in the
/// paper counts optimizer steps, not batches. Only norms whose place in the model begins with
/// `places` are affected.
void set_iterations_to_one_step(const ref::model::NormOptions& norm, NamedDeviceTensors& norms,
                                const NamedDeviceTensors& before, std::string_view places = "");

}  // namespace normproof::gpu::train
