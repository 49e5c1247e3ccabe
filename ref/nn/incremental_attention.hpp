#pragma once

#include <vector>

#include "ref/nn/multi_head_attention.hpp"

namespace normproof::ref::nn {

/// Keys and values of the positions so far, row after row of D numbers.
template <class T>
struct KeyValueCache {
  std::vector<T> keys, values;
};

/// Causal self-attention of one position more.
/// Source    docs/specification/encoder.md
/// Computes  the row of multi_head_attention with `causal` and no dropout that belongs to the last
///           of the positions whose keys and values `cache` has afterwards: the new one's are added
/// Shapes    x, y [1,1,D]
/// Requires  (C1) x is [1,1,D]  (C2) H divides D  (C3) parameters with the shapes of Attention
///           (C8) cache has as many keys as values, whole rows of D
/// Order     the bits of multi_head_attention
/// Throws    ContractError
template <numeric::Real T>
Tensor<T> attend_to_one_more(const Tensor<T>& x, const Attention<T>& parameters,
                             std::size_t num_heads, KeyValueCache<T>& cache);

}  // namespace normproof::ref::nn
