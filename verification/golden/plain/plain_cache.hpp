#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "verification/golden/plain/plain_encoder_parts.hpp"

namespace normproof::verification::golden::plain {

/// Rows of keys and values. The rows of a cache may include some that are not written yet.
template <class T>
struct PlainKeysValues {
  Numbers<T> keys, values;
};

/// The key-value cache of one sentence. It stores the rows of past and new tokens and decides to
/// which rows a new token attends. The errors that implementations of a cache make can be injected.
template <class T>
class PlainCache {
 public:
  PlainCache(Sites& sites, std::size_t heads, std::size_t width)
      : sites_(sites), width_(width), scale_(1 / adl_sqrt(to_scalar<T>(width / heads))) {}

  /// Starts a sentence. `past` contains the rows that are in the cache already, and `tokens` is the
  /// number of tokens that will be appended.
  void begin(PlainKeysValues<T> past, std::size_t tokens) {
    using enum MutationOperator;
    rows_ = std::move(past);
    past_ = rows_.keys.size() / width_;
    tokens_ = tokens;
    // Sites that leave most outputs unchanged come first: if several mutations agree equally well
    // with an output, the first one is reported.
    kept_scaling_ = {has("1/sqrt(d_k) of all keys that are kept", insert),
                     past_ > 0 && has("1/sqrt(d_k) of new keys that are kept", insert)};
    if (past_ > 0) past_scaling_ = sites_.any("1/sqrt(d_k) of past keys", {insert, drop});
    rotate_by_mistake("order of past keys", rows_.keys);
    rotate_by_mistake("order of past values", rows_.values);
    if (past_ > 0 && has("1/sqrt(d_k) of past keys in the cache", insert))
      scale_keys(rows_, 0, past_, scale_);
    // The cache has one extra row, because an injected error may write to it.
    rows_.keys.resize((past_ + tokens + 1) * width_, T(0));
    rows_.values.resize(rows_.keys.size(), T(0));
  }

  /// Writes the row of a new token after the rows that are in the cache.
  void write(const PlainKeysValues<T>& fresh, std::size_t token) {
    using enum MutationOperator;
    std::size_t row = past_ + token;
    switch (sites_.any("place in the cache", {one_less, one_more, drop})) {
      case one_less:
        row -= row > 0 ? 1 : 0;
        break;
      case one_more:
        ++row;
        break;
      case drop:  // error: the row is computed as if the cache were empty
        row -= past_;
        break;
      default:
        break;
    }
    const bool scaled =
        sites_.any("1/sqrt(d_k) of keys in the cache", {insert, other}) != MutationOperator::none;
    for (std::size_t d = 0; d < width_; ++d) {
      const T key = fresh.keys[token * width_ + d];
      rows_.keys[row * width_ + d] = scaled ? scale_ * key : key;
      rows_.values[row * width_ + d] = fresh.values[token * width_ + d];
    }
  }

  /// Returns the number of new tokens whose rows are written before the new token `token` attends.
  std::size_t rows_written_before(std::size_t token) {
    using enum MutationOperator;
    if (has("writing to the cache", other)) return token;
    if (tokens_ < 2) return token + 1;
    switch (sites_.any("causal mask of new tokens", {drop, one_more})) {
      case drop:
        return tokens_;
      case one_more:
        return std::min(token + 2, tokens_);
      default:
        return token + 1;
    }
  }

  /// Returns the range [first, end) of the rows to which a new token attends.
  std::pair<std::size_t, std::size_t> visible_rows(std::size_t token) {
    using enum MutationOperator;
    const std::size_t length = past_ + token + 1;
    std::size_t first = 0, end = std::max(length, past_ + rows_written_before(token));
    switch (sites_.any("positions of the cache", {one_less, one_more, drop})) {
      case one_less:
        --end;
        break;
      case one_more:
        ++end;
        break;
      case drop:  // error: only the rows of new tokens
        first = past_;
        break;
      default:
        break;
    }
    if (length > 1 && has("oldest row of the cache", drop)) first = 1;
    if (tokens_ > 1 && has("rows that the cache has", one_less))
      first = length == past_ + tokens_ ? 1 : 0;
    // Error: the causal mask is aligned at the first key, so that the first new token attends only
    // to the oldest row.
    if (past_ > 0 && has("causal mask of new tokens", other)) end = token + 1;
    return {first, end};
  }

  /// Returns a factor that multiplies the query in addition to the scale of the scores. It is 1
  /// unless an error is injected.
  T query_factor() {
    return has("1/sqrt(d_k) of keys in the cache", MutationOperator::other) ? 1 / scale_ : T(1);
  }

  /// Returns the rows of the cache, with the errors that are injected when a token reads them.
  PlainKeysValues<T> read() {
    using enum MutationOperator;
    PlainKeysValues<T> rows = rows_;
    if (past_scaling_ != none)
      scale_keys(rows, 0, past_, past_scaling_ == insert ? scale_ : 1 / scale_);
    return rows;
  }

  /// Returns the rows to keep in the cache after all tokens have been appended.
  PlainKeysValues<T> kept() {
    const std::size_t length = past_ + tokens_;
    PlainKeysValues<T> rows = rows_;
    rows.keys.resize(length * width_);
    rows.values.resize(length * width_);
    rotate_by_mistake("order of the cache", rows.keys);
    rotate_by_mistake("order of the cache", rows.values);
    if (kept_scaling_.all) scale_keys(rows, 0, length, scale_);
    if (kept_scaling_.fresh) scale_keys(rows, past_, length, scale_);
    return rows;
  }

 private:
  bool has(const char* site, MutationOperator op) { return sites_.any(site, {op}) == op; }

  void scale_keys(PlainKeysValues<T>& rows, std::size_t first, std::size_t end, T factor) const {
    for (std::size_t i = first * width_; i < end * width_; ++i) rows.keys[i] *= factor;
  }

  /// Injects an error that rotates the rows, as if a ring buffer were read from a row other than
  /// the oldest.
  void rotate_by_mistake(const char* site, Numbers<T>& rows) {
    using enum MutationOperator;
    if (rows.size() <= width_) return;
    const auto width = static_cast<std::ptrdiff_t>(width_);
    const MutationOperator op = sites_.any(site, {rotated, rotated_back});
    if (op == rotated) std::rotate(rows.begin(), rows.begin() + width, rows.end());
    if (op == rotated_back) std::rotate(rows.begin(), rows.end() - width, rows.end());
  }

  Sites& sites_;
  std::size_t width_;
  T scale_;  ///< 1/sqrt(d_k)
  PlainKeysValues<T> rows_;
  std::size_t past_ = 0, tokens_ = 0;
  /// Two injected errors. The first scales all keys, or only the new keys, when the cache is
  /// stored. The second multiplies or divides the past keys by the scale when they are read.
  struct {
    bool all = false, fresh = false;
  } kept_scaling_;
  MutationOperator past_scaling_ = MutationOperator::none;
};

}  // namespace normproof::verification::golden::plain
