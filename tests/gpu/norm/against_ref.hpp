#pragma once

#include "ref/norm/norm.hpp"

/// Functions for the tests of gpu/norm that compare a layer on the simulated device with ref/norm.
namespace normproof::gpu::norm {

using RefInputs = ref::norm::NormInputs<double>;

/// Runs `steps` steps of forward and backward on each simulated device. Expects every output and
/// the state to have the bits of ref/norm. If ref/norm rejects the inputs, expects the same error
/// message.
void expect_reference_bits(const ref::model::NormOptions& options, const RefInputs& inputs,
                           int steps = 1);

/// Calls expect_reference_bits for inputs of several shapes, with and without a mask, with and
/// without parameters, in training and in inference.
void expect_reference_bits_for_samples(const ref::model::NormOptions& options);

/// Compares one step for 65537 rows with ref/norm. A CUDA grid has no more than 65535 blocks along
/// its second axis.
void expect_reference_bits_beyond_65535_rows(const ref::model::NormOptions& options);

/// Expects the device to reject several invalid inputs with the error messages of ref/norm.
void expect_same_rejections_as_reference(const ref::model::NormOptions& options);

}  // namespace normproof::gpu::norm
