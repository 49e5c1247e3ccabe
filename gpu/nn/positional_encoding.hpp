#pragma once

#include "gpu/device/tensor.hpp"

namespace normproof::gpu::nn {

/// Returns the sinusoidal positional encoding, a constant table [T,D]. The host computes it once
/// for each d_model.
/// Source    [VSP+17] section 3.5; docs/specification/encoder.md
/// Computes  p_{t,2i} = sin(t w_i), p_{t,2i+1} = cos(t w_i), w_i = 10000^(-2i/D). Each element is
///           evaluated at 50 digits and rounded to the nearest double
device::DeviceTensor<double> positional_encoding(device::Device& device, std::size_t seq_len,
                                                 std::size_t d_model);

}  // namespace normproof::gpu::nn
