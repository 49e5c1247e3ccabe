#pragma once

#include "gpu/device/position.hpp"
#include "gpu/device/span.hpp"

/// Sums over an axis in the order of docs/specification/determinism.md, R2. There are 32 lanes.
/// Lane l adds the elements l, l+32, l+64, ... in ascending order, starting from +0. Then, for each
/// stride 16, 8, 4, 2 and 1, lane l adds lane l+stride. A lane without elements is +0, and adding
/// it changes nothing, because no lane is -0.
namespace normproof::gpu::ops {

using device::ConstFlags;
using device::ConstIndices;
using device::ConstReals;
using device::Position;
using device::Reals;
using device::Span;

inline constexpr int kLanes = 32;
inline constexpr int kTreeSteps = 5;

/// Returns   the value of lane `lane` in the sum of term(0) to term(count - 1)
template <class Term>
NORMPROOF_DEVICE double lane_sum(std::size_t count, std::size_t lane, const Term& term) {
  double sum = 0;
  for (std::size_t i = lane; i < count; i += kLanes) sum += term(i);
  return sum;
}

/// The number of terms that lane_sum_with_prefetch loads before it adds them.
inline constexpr std::size_t kPrefetchedTerms = 8;

/// Computes the same sum as lane_sum. It loads several terms before it adds them, so that a GPU has
/// several loads in flight. This is faster for terms that are little more than a memory access.
template <class Term>
NORMPROOF_DEVICE double lane_sum_with_prefetch(std::size_t count, std::size_t lane,
                                               const Term& term) {
  constexpr std::size_t kLast = (kPrefetchedTerms - 1) * kLanes;
  double sum = 0;
  std::size_t i = lane;
  for (; i + kLast < count; i += kPrefetchedTerms * kLanes) {
    double terms[kPrefetchedTerms];
    for (std::size_t k = 0; k < kPrefetchedTerms; ++k) terms[k] = term(i + k * kLanes);
    for (const double t : terms) sum += t;
  }
  for (; i < count; i += kLanes) sum += term(i);
  return sum;
}

/// Runs one or more reductions over each row. A warp processes a row, and each of its threads
/// computes a lane. Each reduction may use the results of the earlier ones. After the last
/// reduction, the results of the row are written. The template parameter Row has
///   static constexpr int kNumTotals;            the number of reductions
///   static constexpr int kNumMaxima;            the number of reductions that compute a maximum;
///                                            they come first, and the others compute a sum
///   double lane(int k, std::size_t row, std::size_t lane, Totals) const;
///                                            the value of a lane in reduction k
///   void finish(std::size_t row, std::size_t lane, Totals) const;
///                                            writes the elements of a lane
/// A thread sees its own writes, so finish() may read what lane() stored for the same lane.
template <class Row>
struct WarpRows {
  static constexpr int kThreads = kLanes;
  static constexpr int kBlocks = 32;
  struct Shared {
    double lane[Row::kNumTotals][kLanes];
  };
  struct Thread {};

  /// The results of the reductions that are complete: `[k]` is the result of reduction k.
  struct Totals {
    const Shared& shared;
    NORMPROOF_DEVICE double operator[](int k) const { return shared.lane[k][0]; }
  };

  Row row;

  NORMPROOF_DEVICE int steps() const { return Row::kNumTotals * (kTreeSteps + 1) + 1; }
  NORMPROOF_DEVICE void step(int s, Position at, Thread&, Shared& shared) const {
    const auto lane = static_cast<std::size_t>(at.thread);
    const int k = s / (kTreeSteps + 1);
    const int in_tree = s % (kTreeSteps + 1);
    if (k == Row::kNumTotals) {
      row.finish(at.block, lane, Totals{shared});
    } else if (in_tree == 0) {
      shared.lane[k][lane] = row.lane(k, at.block, lane, Totals{shared});
    } else {
      const int stride = kLanes >> in_tree;
      if (at.thread >= stride) return;
      double& left = shared.lane[k][at.thread];
      const double right = shared.lane[k][at.thread + stride];
      left = k < Row::kNumMaxima ? (left < right ? right : left) : left + right;
    }
  }
};

/// Computes the 32 lanes of the sum of each column. Element i of the kernel computes lane l of
/// column `i%width`, where l is `i/width`. Lane l adds term(r, column) for the rows r = l, l+32 and
/// so on.
template <class Term>
struct ColumnLanes {
  Term term;
  std::size_t rows;
  std::size_t width;
  Reals lanes;  ///< [32, width]

  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    lanes[i] =
        lane_sum_with_prefetch(rows, i / width, [&](std::size_t r) { return term(r, i % width); });
  }
};

/// Adds the 32 lanes of each column as a binary tree.
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
