#pragma once

#include "gpu/norm/float32_row_kernels.hpp"
#include "ref/model/float32_norm_options.hpp"

/// The kernels of the backward of float32_norm.hpp. A block or a cluster processes a run of
/// `kRowsPerRun` rows, one row after the other. During a run, each thread sums the gradients of
/// gamma and beta for its features in registers. At the end of the run it stores the sums, and
/// float32_gradient_kernels.hpp adds the sums of all runs. The template parameter Backward is
/// Float32BackwardRow.
namespace normproof::gpu::norm {

inline constexpr int kRunLength = static_cast<int>(ref::model::kRowsPerRun);

/// The size of the arithmetic's type divided by the size of a float: 2 for double, 1 for float.
/// With double only half as many threads fit on an SM.
template <class Backward>
inline constexpr int kFloatsPerScalar = sizeof(typename Backward::Scalar) == sizeof(double) ? 2 : 1;
/// The tile for rows of up to 1024 features: one warp, with 128 registers per thread (255 for
/// double).
template <class Backward>
using NarrowRunTile =
    TileShape<ops::kLanes, 1024 / Backward::kSize, 16 / kFloatsPerScalar<Backward>>;
/// The tile for rows that fit in 16 KiB: a block of 256 threads, with 128 registers per thread (255
/// for double).
template <class Backward>
using WideRunTile = TileShape<256, 1024, 2 / kFloatsPerScalar<Backward>>;

/// Processes one run per block, for rows that fit in the block's tile. For each row: loads it and
/// adds its terms, prefetches the next row, and writes the results. Each row is read once.
template <class Backward, class Shape>
struct RunBlocks {
  static constexpr int kThreads = Shape::kThreads;
  static constexpr int kBlocks = Shape::kBlocks;
  using Shared = RowTiles<Backward, Shape>;
  using Row = typename Shared::Row;
  struct Thread {
    typename Backward::template Gradients<Row> gradients;
  };

  Backward of;

  NORMPROOF_DEVICE int steps() const { return kRunLength * kStepsPerRow + 1; }
  NORMPROOF_DEVICE void step(int s, Position at, Thread& thread, Shared& shared) const {
    const int own = s % kStepsPerRow;
    const std::size_t i = at.block * kRunLength + s / kStepsPerRow;
    const Row row(i, of.width);
    const auto total = [&](int k) { return shared.lane[k][0]; };
    if (s == 0) thread.gradients.clear();
    if (s == kRunLength * kStepsPerRow)
      return of.store(at.block, 0, at.thread, row, thread.gradients);
    if (i >= of.rows) return;
    if (own == 0) {
      of.load(0, at.thread, false, row, shared.tile);
    } else if (own == 1) {
      if (s / kStepsPerRow + 1 < kRunLength && i + 1 < of.rows)
        of.prefetch(0, at.thread, Row(i + 1, of.width));
      if (at.thread < ops::kLanes) add(i, at.thread, row, total, shared);
    } else if (own < kStepsPerRow - 1) {
      shared.add_lanes(0, own - 2, at.thread);
    } else {
      of.write(i, 0, at.thread, row, shared.tile, total, thread.gradients);
    }
  }

 private:
  static constexpr int kStepsPerRow = 2 + ops::kTreeSteps + 1;  // steps per row

  template <class Total>
  NORMPROOF_DEVICE void add(std::size_t i, int lane, const Row& row, const Total& total,
                            Shared& shared) const {
    typename Backward::Scalar sums[Backward::kNumSums] = {};
    of.add(i, 0, lane, 0, row, shared.tile, total, sums);
    for (int k = 0; k < Backward::kNumSums; ++k) shared.lane[k][lane] = sums[k];
  }
};

/// Processes one run per cluster. Each block keeps one tile of each row, as in RowClusters. Each
/// row is read once.
template <class Backward>
struct RunClusters {
  using Shape = WideRunTile<Backward>;
  static constexpr int kThreads = Shape::kThreads;
  static constexpr int kBlocks = Shape::kBlocks;
  using Shared = RowTiles<Backward, Shape>;
  using Memory = device::ClusterMemory<Shared>;
  using Row = typename Shared::Row;
  struct Thread {
    typename Backward::template Gradients<Row> gradients;
  };

  Backward of;

  NORMPROOF_DEVICE int steps() const { return kRunLength * steps_per_row() + 1; }
  NORMPROOF_DEVICE void step(int s, device::ClusterPosition at, Thread& thread,
                             Memory memory) const {
    const int own = s % steps_per_row(), number = s / steps_per_row();
    const int last = tiles() - 1;
    const std::size_t i = at.cluster * kRunLength + number;
    const Row row(i, of.width);
    const auto total = [&](int k) { return memory[last].lane[k][0]; };
    if (s == 0) thread.gradients.clear();
    if (number == kRunLength)
      return of.store(at.cluster, at.rank, at.thread, row, thread.gradients);
    if (i >= of.rows) return;
    if (own == 0) return of.load(at.rank, at.thread, false, row, memory[at.rank].tile);
    if (own == 1 && number + 1 < kRunLength && i + 1 < of.rows)
      of.prefetch(at.rank, at.thread, Row(i + 1, of.width));
    if (own == steps_per_row() - 1)
      of.write(i, at.rank, at.thread, row, memory[at.rank].tile, total, thread.gradients);
    else if (own > tiles() && at.rank == last)
      memory[last].add_lanes(0, own - 1 - tiles(), at.thread);
    else if (own - 1 == at.rank && at.thread < ops::kLanes)
      continue_lanes_of_previous_block(of, i, 0, at, row, memory, total);
  }

 private:
  NORMPROOF_DEVICE int tiles() const { return Row::tiles(of.width); }
  NORMPROOF_DEVICE int steps_per_row() const { return 1 + tiles() + ops::kTreeSteps + 1; }
};

/// Processes one run per block, for rows with more tiles than a cluster has blocks. First it
/// computes the sums of each row, tile by tile. Then, for each tile of features, it loads that part
/// of all rows again and writes the results.
template <class Backward>
struct RunTiles {
  using Shape = WideRunTile<Backward>;
  static constexpr int kThreads = Shape::kThreads;
  static constexpr int kBlocks = Shape::kBlocks;
  using Scalar = typename Backward::Scalar;
  struct Shared {
    RowTiles<Backward, Shape> row;
    Scalar total[kRunLength][Backward::kNumSums];
  };
  using Row = typename RowTiles<Backward, Shape>::Row;
  struct Thread {
    Scalar sums[Backward::kNumSums];
    typename Backward::template Gradients<Row> gradients;
  };

  Backward of;

  NORMPROOF_DEVICE int steps() const {
    return kRunLength * steps_per_row() + tiles() * kStepsPerTile;
  }
  NORMPROOF_DEVICE void step(int s, Position at, Thread& thread, Shared& shared) const {
    const int of_sums = kRunLength * steps_per_row();
    if (s < of_sums)
      return add_row_sums(s / steps_per_row(), s % steps_per_row(), at, thread, shared);
    const int t = (s - of_sums) / kStepsPerTile, own = (s - of_sums) % kStepsPerTile;
    const std::size_t i = at.block * kRunLength + own / 2;
    const Row row(i, of.width);
    if (own == 0) thread.gradients.clear();
    if (own == 2 * kRunLength) return of.store(at.block, t, at.thread, row, thread.gradients);
    if (i >= of.rows) return;
    if (own % 2 == 0)
      of.load(t, at.thread, true, row, shared.row.tile);
    else
      of.write(
          i, t, at.thread, row, shared.row.tile, [&](int k) { return shared.total[own / 2][k]; },
          thread.gradients);
  }

 private:
  static constexpr int kStepsPerTile = 2 * kRunLength + 1;

  NORMPROOF_DEVICE int tiles() const { return Row::tiles(of.width); }
  NORMPROOF_DEVICE int steps_per_row() const { return 2 * tiles() + ops::kTreeSteps + 1; }

  /// Performs step `own` of the computation of a row's sums. `number` is the index of the row in
  /// the run.
  NORMPROOF_DEVICE void add_row_sums(int number, int own, Position at, Thread& thread,
                                     Shared& shared) const {
    const std::size_t i = at.block * kRunLength + number;
    if (i >= of.rows) return;
    const Row row(i, of.width);
    const int t = own / 2;
    if (own == steps_per_row() - 1) {
      for (int k = 0; at.thread == 0 && k < Backward::kNumSums; ++k)
        shared.total[number][k] = shared.row.lane[k][0];
    } else if (own >= 2 * tiles()) {
      shared.row.add_lanes(0, own - 2 * tiles(), at.thread);
    } else if (own % 2 == 0) {
      of.load(t, at.thread, false, row, shared.row.tile);
    } else if (at.thread < ops::kLanes) {
      for (int k = 0; t == 0 && k < Backward::kNumSums; ++k) thread.sums[k] = 0;
      of.add(
          i, t, at.thread, 0, row, shared.row.tile, [](int) { return Scalar(0); }, thread.sums);
      for (int k = 0; t == tiles() - 1 && k < Backward::kNumSums; ++k)
        shared.row.lane[k][at.thread] = thread.sums[k];
    }
  }
};

}  // namespace normproof::gpu::norm
