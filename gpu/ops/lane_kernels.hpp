#pragma once

#include "gpu/device/position.hpp"
#include "gpu/device/span.hpp"

/// Sums over an axis in the order of docs/specification/determinism.md, R2: 32 lanes, lane l adds the elements l,
/// l+32, l+64, ... ascending from +0; then lane l adds lane l+stride for the strides 16, 8, 4,
/// 2, 1. A lane without elements is +0, and adding it changes nothing, for no lane is -0.
namespace normproof::gpu::ops {

using device::ConstFlags;
using device::ConstIndices;
using device::ConstReals;
using device::Position;
using device::Reals;
using device::Span;

inline constexpr int kLanes = 32;
inline constexpr int kTreeSteps = 5;

/// Lane `lane` of the sum of term(i), i = 0 .. count-1.
template <class Term>
NORMPROOF_DEVICE double lane_sum(std::size_t count, std::size_t lane, const Term& term) {
  double sum = 0;
  for (std::size_t i = lane; i < count; i += kLanes) sum += term(i);
  return sum;
}

/// Terms that lane_sum_ahead takes before it adds them.
inline constexpr std::size_t kTermsAhead = 8;

/// lane_sum of terms that are little more than what they read: a GPU waits for the memory of
/// several at once.
template <class Term>
NORMPROOF_DEVICE double lane_sum_ahead(std::size_t count, std::size_t lane, const Term& term) {
  constexpr std::size_t kLast = (kTermsAhead - 1) * kLanes;
  double sum = 0;
  std::size_t i = lane;
  for (; i + kLast < count; i += kTermsAhead * kLanes) {
    double terms[kTermsAhead];
    for (std::size_t k = 0; k < kTermsAhead; ++k) terms[k] = term(i + k * kLanes);
    for (const double t : terms) sum += t;
  }
  for (; i < count; i += kLanes) sum += term(i);
  return sum;
}

/// A row belongs to a warp, a lane to a thread: first some reductions, each of which may use those
/// before it, then what is written. Row has
///   static constexpr int kTotals, kMaxima;   how many reductions; how many of them, the
///                                            first ones, take the largest instead of the sum
///   double lane(int k, std::size_t row, std::size_t lane, Totals) const;   its part of reduction k
///   void finish(std::size_t row, std::size_t lane, Totals) const;          writes its part
/// A thread sees its own writes: what lane() leaves in memory, finish() of that lane may read.
template <class Row>
struct WarpRows {
  static constexpr int kThreads = kLanes;
  static constexpr int kBlocks = 32;
  struct Shared {
    double lane[Row::kTotals][kLanes];
  };
  struct Thread {};

  /// The reductions that are done.
  struct Totals {
    const Shared& shared;
    NORMPROOF_DEVICE double operator[](int k) const { return shared.lane[k][0]; }
  };

  Row row;

  NORMPROOF_DEVICE int steps() const { return Row::kTotals * (kTreeSteps + 1) + 1; }
  NORMPROOF_DEVICE void step(int s, Position at, Thread&, Shared& shared) const {
    const auto lane = static_cast<std::size_t>(at.thread);
    const int k = s / (kTreeSteps + 1);
    const int in_tree = s % (kTreeSteps + 1);
    if (k == Row::kTotals) {
      row.finish(at.block, lane, Totals{shared});
    } else if (in_tree == 0) {
      shared.lane[k][lane] = row.lane(k, at.block, lane, Totals{shared});
    } else {
      const int stride = kLanes >> in_tree;
      if (at.thread >= stride) return;
      double& left = shared.lane[k][at.thread];
      const double right = shared.lane[k][at.thread + stride];
      left = k < Row::kMaxima ? (left < right ? right : left) : left + right;
    }
  }
};

/// Element i is lane i / width of column i % width: the terms term(r, column) of the rows r = lane,
/// lane+32, ...
template <class Term>
struct ColumnLanes {
  Term term;
  std::size_t rows;
  std::size_t width;
  Reals lanes;  ///< [32, width]

  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    lanes[i] = lane_sum_ahead(rows, i / width, [&](std::size_t r) { return term(r, i % width); });
  }
};

/// The tree over the lanes of a column.
struct ColumnTree {
  ConstReals lanes;  ///< [32, width]
  std::size_t width;
  Reals sum;  ///< [width]

  NORMPROOF_DEVICE void operator()(std::size_t column) const {
    double lane[kLanes];
    for (std::size_t l = 0; l < kLanes; ++l) lane[l] = lanes[l * width + column];
    for (int stride = kLanes / 2; stride > 0; stride /= 2)
      for (int l = 0; l < stride; ++l) lane[l] += lane[l + stride];
    sum[column] = lane[0];
  }
};

}  // namespace normproof::gpu::ops
