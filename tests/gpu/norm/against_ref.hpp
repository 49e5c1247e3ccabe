#pragma once

#include "ref/norm/norm.hpp"

/// Shared parts of the tests of gpu/norm: compares a layer on the simulated device with ref/norm.
namespace normproof::gpu::norm {

using RefInputs = ref::norm::NormInputs<double>;

/// Expects every output and the state of `steps` training or inference steps, forward and backward,
/// to have the bits of ref/norm in each order of the simulated threads. If ref/norm rejects the
/// inputs, expects the same error message.
void expect_bits_of_ref(const ref::model::NormOptions& options, const RefInputs& inputs,
                        int steps = 1);

/// Calls expect_bits_of_ref for inputs of many shapes: with and without mask, gamma and beta, in
/// both modes.
void expect_bits_on_samples(const ref::model::NormOptions& options);

/// Calls expect_bits_of_ref with more rows than a grid can have blocks along its second axis.
void expect_bits_past_65535_rows(const ref::model::NormOptions& options);

/// Expects the device to reject what ref/norm rejects, with the same error messages.
void expect_refusals_of_ref(const ref::model::NormOptions& options);

}  // namespace normproof::gpu::norm
