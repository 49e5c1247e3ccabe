#pragma once

#include "ref/norm/norm.hpp"

/// What the tests of gpu/norm share: a layer on the simulated device against ref/norm.
namespace normproof::gpu::norm {

using RefInputs = ref::norm::NormInputs<double>;

/// Expects every output and the state of `steps` training or inference steps, forward and backward,
/// to have the bits of ref/norm, in each order of the simulated threads; or both to refuse with the
/// same sentence.
void expect_bits_of_ref(const ref::model::NormOptions& options, const RefInputs& inputs,
                        int steps = 1);

/// The same on inputs of many shapes: with and without mask, gamma and beta, in both modes.
void expect_bits_on_samples(const ref::model::NormOptions& options);

/// The same on more rows than a grid of blocks has along its second axis.
void expect_bits_past_65535_rows(const ref::model::NormOptions& options);

/// What ref/norm refuses, a device refuses in the same words.
void expect_refusals_of_ref(const ref::model::NormOptions& options);

}  // namespace normproof::gpu::norm
