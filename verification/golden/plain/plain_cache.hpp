#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "verification/golden/plain/plain_encoder_parts.hpp"

namespace normproof::verification::golden::plain {

/// Keys and values, row after row; of a cache there are rows that nothing has been written to.
template <class T>
struct PlainKeysValues {
  Numbers<T> keys, values;
};

/// The keys and values of a sentence's tokens, of those before and of new ones, and which of them
/// a new token sees, with the mistakes that can be made of that.
template <class T>
class PlainCache {
 public:
  PlainCache(Sites& sites, std::size_t heads, std::size_t width)
      : sites_(sites), width_(width), scale_(1 / sqrt_of(number_of<T>(width / heads))) {}

  /// What is there already, and how many tokens will join.
  void begin(PlainKeysValues<T> past, std::size_t tokens) {
    using enum MutationOperator;
    rows_ = std::move(past);
    past_ = rows_.keys.size() / width_;
    tokens_ = tokens;
    // First those that leave most outputs as they are: what agrees as well is named after them.
    kept_ = {has("1/sqrt(d_k) of all keys that are kept", insert),
             past_ > 0 && has("1/sqrt(d_k) of new keys that are kept", insert)};
    if (past_ > 0) read_ = sites_.any("1/sqrt(d_k) of past keys", {insert, drop});
    turn("order of past keys", rows_.keys);
    turn("order of past values", rows_.values);
    if (past_ > 0 && has("1/sqrt(d_k) of past keys in the cache", insert))
      scale_keys(rows_, 0, past_, scale_);
    // One row more, which a mistake may reach.
    rows_.keys.resize((past_ + tokens + 1) * width_, T(0));
    rows_.values.resize(rows_.keys.size(), T(0));
  }

  /// The row of a new token, at its place behind those that are there.
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
      case drop:  // as if nothing were there before
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

  /// How many of the new tokens are written before one of them attends.
  std::size_t written_before(std::size_t token) {
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

  /// The first row that a new token sees, and the end of those that it does.
  std::pair<std::size_t, std::size_t> seen_by(std::size_t token) {
    using enum MutationOperator;
    const std::size_t length = past_ + token + 1;
    std::size_t first = 0, end = std::max(length, past_ + written_before(token));
    switch (sites_.any("positions of the cache", {one_less, one_more, drop})) {
      case one_less:
        --end;
        break;
      case one_more:
        ++end;
        break;
      case drop:  // the new tokens alone
        first = past_;
        break;
      default:
        break;
    }
    if (length > 1 && has("oldest row of the cache", drop)) first = 1;
    if (tokens_ > 1 && has("rows that the cache has", one_less))
      first = length == past_ + tokens_ ? 1 : 0;
    // Laid at the first key: the first new token sees the oldest row alone.
    if (past_ > 0 && has("causal mask of new tokens", other)) end = token + 1;
    return {first, end};
  }

  /// What a query that attends to it is multiplied by, beside what scores are.
  T query_factor() {
    return has("1/sqrt(d_k) of keys in the cache", MutationOperator::other) ? 1 / scale_ : T(1);
  }

  /// The rows as a token reads them.
  PlainKeysValues<T> read() {
    using enum MutationOperator;
    PlainKeysValues<T> rows = rows_;
    if (read_ != none) scale_keys(rows, 0, past_, read_ == insert ? scale_ : 1 / scale_);
    return rows;
  }

  /// The rows that are to be there when all tokens have joined.
  PlainKeysValues<T> kept() {
    const std::size_t length = past_ + tokens_;
    PlainKeysValues<T> rows = rows_;
    rows.keys.resize(length * width_);
    rows.values.resize(length * width_);
    turn("order of the cache", rows.keys);
    turn("order of the cache", rows.values);
    if (kept_.all) scale_keys(rows, 0, length, scale_);
    if (kept_.fresh) scale_keys(rows, past_, length, scale_);
    return rows;
  }

 private:
  bool has(const char* site, MutationOperator op) { return sites_.any(site, {op}) == op; }

  void scale_keys(PlainKeysValues<T>& rows, std::size_t first, std::size_t end, T factor) const {
    for (std::size_t i = first * width_; i < end * width_; ++i) rows.keys[i] *= factor;
  }

  /// By mistake as a ring is read that begins at another row than the oldest.
  void turn(const char* site, Numbers<T>& rows) {
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
  /// By mistake: which keys are scaled as they are kept, and what past ones are as they are read.
  struct {
    bool all = false, fresh = false;
  } kept_;
  MutationOperator read_ = MutationOperator::none;
};

}  // namespace normproof::verification::golden::plain
