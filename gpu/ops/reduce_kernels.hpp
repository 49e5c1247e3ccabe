#pragma once

#include "gpu/ops/lane_kernels.hpp"

namespace normproof::gpu::ops {

/// y_row = sum of the row, of x or, where w is given, of x w; `width` terms a row.
struct SumRow {
  static constexpr int kTotals = 1;
  static constexpr int kMaxima = 0;
  ConstReals x, w;
  std::size_t width;
  Reals y;

  template <class Totals>
  NORMPROOF_DEVICE double lane(int, std::size_t row, std::size_t lane, Totals) const {
    return lane_sum(width, lane, [&](std::size_t i) {
      const std::size_t at = row * width + i;
      return w.given() ? x[at] * w[at] : x[at];
    });
  }
  template <class Totals>
  NORMPROOF_DEVICE void finish(std::size_t row, std::size_t lane, Totals totals) const {
    if (lane == 0) y[row] = totals[0];
  }
};

/// x_{row, column}
struct ElementTerm {
  ConstReals x;
  std::size_t width;
  NORMPROOF_DEVICE double operator()(std::size_t row, std::size_t column) const {
    return x[row * width + column];
  }
};

/// Chunk c of kChunk elements: the place of its first element that is not finite, or that is not
/// above 0 where `positive`; the size where there is none.
struct FirstRefused {
  static constexpr std::size_t kChunk = 1024;
  ConstReals x;
  bool positive;
  Span<std::size_t> first;

  NORMPROOF_DEVICE void operator()(std::size_t chunk) const {
    const std::size_t end = x.size - chunk * kChunk < kChunk ? x.size : (chunk + 1) * kChunk;
    std::size_t i = chunk * kChunk;
    // x - x is +0, or NaN where x is not finite.
    while (i < end && x[i] - x[i] == 0 && (!positive || x[i] > 0)) ++i;
    first[chunk] = i < end ? i : x.size;
  }
};

}  // namespace normproof::gpu::ops
