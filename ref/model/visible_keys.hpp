#pragma once

#include <cstddef>

#include "ref/tensor/tensor.hpp"

namespace normproof::ref::model {

/// The extents of queries and of the keys that they attend to: there are `heads` heads with
/// `tokens` queries each. Query i of head h is row number `h * tokens + i`.
struct QueriesAndKeys {
  std::size_t heads = 1;
  std::size_t tokens = 0;
  std::size_t keys = 0;

  std::size_t rows() const { return heads * tokens; }
};

/// Whether query i sees key j in causal attention. The last query sees every key, and each earlier
/// query sees one key fewer than the query after it. If there are more queries than keys, the first
/// queries see no key.
inline bool is_visible_in_causal_attention(const QueriesAndKeys& extents, std::size_t i,
                                           std::size_t j) {
  return j + extents.tokens <= i + extents.keys;
}

/// Returns a mask for softmax: which keys each query of one sample sees.
/// Computes  query i sees key j if valid_j is true and, in causal attention,
///           is_visible_in_causal_attention(i, j) is true
/// Shapes    valid has `keys` flags, or is null if all keys are valid. The result is [keys], or
///           [rows, keys] if attention is causal, or empty if every query sees every key
tensor::Mask visible_keys(const QueriesAndKeys& extents, const bool* valid, bool causal);

/// Whether each row of a mask that visible_keys returned has a visible key. An empty mask hides no
/// key.
bool has_visible_key_in_every_row(const tensor::Mask& visible, std::size_t keys);

}  // namespace normproof::ref::model
