#pragma once

#include <cstddef>

#include "ref/tensor/tensor.hpp"

namespace normproof::ref::model {

/// The rows of queries that share keys, and these keys: `heads` heads of `tokens` queries each, row
/// h tokens + i the query i of the head h.
struct QueriesAndKeys {
  std::size_t heads = 1;
  std::size_t tokens = 0;
  std::size_t keys = 0;

  std::size_t rows() const { return heads * tokens; }
};

/// Whether query i sees key j where attention is causal: the last query sees every key, and each
/// query before it one key less. Queries that are left over at the beginning see none.
inline bool is_not_later(const QueriesAndKeys& extents, std::size_t i, std::size_t j) {
  return j + extents.tokens <= i + extents.keys;
}

/// The keys that each query of a sample sees, as softmax takes them.
/// Computes  valid_j, and where attention is causal is_not_later(i, j)
/// Shapes    valid: `keys` flags, or absent: all; result [keys], or [rows, keys] where attention is
///           causal, or empty: every query sees every key
tensor::Mask visible_keys(const QueriesAndKeys& extents, const bool* valid, bool causal);

/// Whether in each row of such a mask something is visible; an empty one hides nothing.
bool sees_in_every_row(const tensor::Mask& visible, std::size_t keys);

}  // namespace normproof::ref::model
