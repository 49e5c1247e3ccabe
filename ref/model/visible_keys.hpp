#pragma once

#include <cstddef>

#include "ref/tensor/tensor.hpp"

namespace normproof::ref::model {

/// The extents of queries and the keys that they share: `heads` heads of `tokens` queries each.
/// Query i of head h is row h tokens + i.
struct QueriesAndKeys {
  std::size_t heads = 1;
  std::size_t tokens = 0;
  std::size_t keys = 0;

  std::size_t rows() const { return heads * tokens; }
};

/// Whether query i sees key j in causal attention. The last query sees every key, and each query
/// before it sees one key less. If there are more queries than keys, the first queries see none.
inline bool is_visible_causally(const QueriesAndKeys& extents, std::size_t i, std::size_t j) {
  return j + extents.tokens <= i + extents.keys;
}

/// Returns which keys each query of a sample sees, as a mask for softmax.
/// Computes  valid_j, and is_visible_causally(i, j) if attention is causal
/// Shapes    valid: `keys` flags, or null if all are valid; the result is [keys], or [rows, keys]
///           if attention is causal, or empty if every query sees every key
tensor::Mask visible_keys(const QueriesAndKeys& extents, const bool* valid, bool causal);

/// Whether each row of such a mask has a visible key. An empty mask hides nothing.
bool has_visible_key_in_every_row(const tensor::Mask& visible, std::size_t keys);

}  // namespace normproof::ref::model
