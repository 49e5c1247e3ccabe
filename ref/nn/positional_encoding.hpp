#pragma once

#include "ref/tensor/tensor.hpp"

namespace normproof::ref::nn {

/// Sinusoidal positions, a table of constants: every scalar takes these doubles as they are.
/// Source    [VSP+17] section 3.5; docs/specification/encoder.md
/// Computes  p_{t,2i} = sin(t w_i), p_{t,2i+1} = cos(t w_i), w_i = 10000^(-2i/D)
/// Shapes    [T,D]
/// Error     the double nearest to the value at 50 digits
/// Keeps     the rows computed so far: a second call copies them
tensor::Tensor<double> positional_encoding(std::size_t seq_len, std::size_t d_model);

}  // namespace normproof::ref::nn
