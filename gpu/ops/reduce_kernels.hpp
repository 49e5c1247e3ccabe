#pragma once

#include <cstdint>

#include "gpu/ops/lane_kernels.hpp"

namespace normproof::gpu::ops {

/// Sums each row of x, or of the products x w if w is given. A row has `width` elements.
struct SumRow {
  static constexpr int kNumTotals = 1;
  static constexpr int kNumMaxima = 0;
  ConstReals x, w;
  std::size_t width;
  Reals y;

  template <class Totals>
  NORMPROOF_DEVICE double lane(int, std::size_t row, std::size_t lane, Totals) const {
    return lane_sum_with_prefetch(width, lane, [&](std::size_t i) {
      const std::size_t at = row * width + i;
      return w.given() ? x[at] * w[at] : x[at];
    });
  }
  template <class Totals>
  NORMPROOF_DEVICE void finish(std::size_t row, std::size_t lane, Totals totals) const {
    if (lane == 0) y[row] = totals[0];
  }
};

/// The term of a column sum: element (row, column) of x.
struct ElementTerm {
  ConstReals x;
  std::size_t width;
  NORMPROOF_DEVICE double operator()(std::size_t row, std::size_t column) const {
    return x[row * width + column];
  }
};

/// Which values a check accepts. Values that are not finite are never accepted.
enum class AcceptedValues { finite, not_negative, positive };

/// Whether a check rejects x. A value that is not finite is always rejected.
NORMPROOF_DEVICE inline bool is_rejected(double x, AcceptedValues accepts) {
  // x - x is +0, or NaN if x is not finite.
  if (!(x - x == 0)) return true;
  if (accepts == AcceptedValues::finite) return false;
  return accepts == AcceptedValues::positive ? !(x > 0) : x < 0;
}

/// Finds the first element that a check rejects in a chunk of kChunk elements. Writes the index of
/// this element, or x.size if there is none.
struct FindRejectedElement {
  static constexpr std::size_t kChunk = 1024;
  ConstReals x;
  AcceptedValues accepts;
  Span<std::size_t> first;

  NORMPROOF_DEVICE void operator()(std::size_t chunk) const {
    const std::size_t end = x.size - chunk * kChunk < kChunk ? x.size : (chunk + 1) * kChunk;
    std::size_t i = chunk * kChunk;
    while (i < end && !is_rejected(x[i], accepts)) ++i;
    first[chunk] = i < end ? i : x.size;
  }
};

/// Sets the flag to 1 if a check rejects an element. Several threads may write it at once; all
/// write the same value.
struct FlagRejectedElements {
  ConstReals x;
  AcceptedValues accepts;
  Span<std::uint32_t> flag;

  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    if (is_rejected(x[i], accepts)) flag[0] = 1;
  }
};

}  // namespace normproof::gpu::ops
