#pragma once

#include "ref/tensor/tensor.hpp"

namespace normproof::ref::nn {

/// Returns a table of sinusoidal position encodings. All scalar types use these doubles.
/// Source    [VSP+17] section 3.5; docs/specification/encoder.md
/// Computes  p_{t,2i} = sin(t w_i), p_{t,2i+1} = cos(t w_i), w_i = 10000^(-2i/D)
/// Shapes    [T,D]: the rows t = first, ..., first + T - 1
/// Error     the double nearest to the value at 50 digits
/// Keeps     all rows that were computed; later calls copy them. If new rows are needed and
///           first > 0, the call computes twice as many rows as needed, because callers with
///           first > 0 usually continue row by row
tensor::Tensor<double> positional_encoding(std::size_t seq_len, std::size_t d_model,
                                           std::size_t first = 0);

/// Adds the position encodings p to x.
/// Computes  x_btd = x_btd + p_{first+t,d}
/// Shapes    x [B,T,D]
template <class T>
void add_positions(tensor::Tensor<T>& x, std::size_t first = 0) {
  const tensor::Tensor<T> positions =
      tensor::convert<T>(positional_encoding(x.shape(1), x.shape(2), first));
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] += positions.data()[i % positions.size()];
}

}  // namespace normproof::ref::nn
