#pragma once

#include <cstddef>
#include <optional>

#include "ref/model/operation.hpp"
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

/// Which keys a query sees by its position. Without members that are set, it sees every key.
struct KeyRange {
  bool causal = false;  ///< no key after the position of the query
  MaskCorner corner = MaskCorner::bottom_right;
  /// The number of keys before and after the position of the query that it sees. If a number is
  /// absent, there is no limit on that side.
  std::optional<std::size_t> before = {}, after = {};

  bool hides_keys() const { return causal || before || after; }
};

/// Returns the range of keys that the options of attention choose.
KeyRange key_range(const AttentionOptions& options);

/// Whether query i sees key j.
/// Computes  the position of query i is i + S - T for T queries and S keys, or i if the corner is
///           top_left. The query sees key j if j is at most the position in causal attention, at
///           least the position - before, and at most the position + after
bool is_in_range(const QueriesAndKeys& extents, const KeyRange& range, std::size_t i,
                 std::size_t j);

/// Returns a mask for softmax: which keys each query of one sample sees.
/// Computes  query i sees key j if valid_j is true and is_in_range(i, j) is true
/// Shapes    valid has `keys` flags, or is null if all keys are valid. The result is [keys], or
///           [rows, keys] if the range hides keys, or empty if every query sees every key
tensor::Mask visible_keys(const QueriesAndKeys& extents, const bool* valid, const KeyRange& range);

/// Returns a mask of visible keys with one more flag at the end of each row, which is true: the
/// sink of a query. An empty mask remains empty.
tensor::Mask add_visible_sink(const tensor::Mask& visible, std::size_t keys);

/// Whether each row of a mask that visible_keys returned has a visible key. An empty mask hides no
/// key.
bool has_visible_key_in_every_row(const tensor::Mask& visible, std::size_t keys);

}  // namespace normproof::ref::model
