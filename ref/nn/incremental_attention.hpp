#pragma once

#include <vector>

#include "ref/nn/multi_head_attention.hpp"

namespace normproof::ref::nn {

/// The keys and values of the positions that have been processed. The keys have one row of D
/// numbers per position, and so do the values.
template <class T>
struct KeyValueCache {
  std::vector<T> keys, values;
};

/// Computes causal self-attention for one more position.
/// Source    docs/specification/encoder.md
/// Computes  adds the keys and values of x to `cache`. y is the last row of what causal
///           multi_head_attention without dropout returns for all positions in `cache`
/// Shapes    x, y [1,1,D]
/// Requires  (C1) x is [1,1,D]  (C2) H divides D  (C3) the parameters have the shapes of Attention
///           (C8) cache has as many keys as values, in whole rows of D
/// Order     the same bits as multi_head_attention
/// Throws    ContractError
template <numeric::Real T>
Tensor<T> attend_to_one_more(const Tensor<T>& x, const Attention<T>& parameters,
                             std::size_t num_heads, KeyValueCache<T>& cache);

}  // namespace normproof::ref::nn
