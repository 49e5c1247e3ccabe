#pragma once

#include "gpu/norm/float32_row_kernels.hpp"
#include "ref/model/float32_norm_options.hpp"

/// The backward of float32_norm.hpp on the blocks of a device: a block or a cluster has a run of
/// model::kRowsOfARun rows, one after the other. Each thread keeps the sums of the gradients of
/// gamma and beta of its features in registers, from a run's first row to its last one, and then
/// stores them; float32_gradient_kernels.hpp adds the runs up. Backward is that of
/// float32_backward_row.hpp.
namespace normproof::gpu::norm {

inline constexpr int kRun = static_cast<int>(ref::model::kRowsOfARun);

/// 1, and where the arithmetic is double 2, of which half as many threads have room.
template <class Backward>
inline constexpr int kOfDouble = sizeof(typename Backward::Scalar) == sizeof(double) ? 2 : 1;
/// 1024 features a warp, of 128 registers a thread, in double 255.
template <class Backward>
using NarrowRunTile = TileShape<ops::kLanes, 1024 / Backward::kSize, 16 / kOfDouble<Backward>>;
/// As many features as 16 KiB have a block of 256 threads, of as many registers.
template <class Backward>
using WideRunTile = TileShape<256, 1024, 2 / kOfDouble<Backward>>;

/// A block a run, of rows that fit in its tile: a row is loaded, added, the next one asked for, and
/// written. Each row is read once.
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

  NORMPROOF_DEVICE int steps() const { return kRun * kSteps + 1; }
  NORMPROOF_DEVICE void step(int s, Position at, Thread& thread, Shared& shared) const {
    const int own = s % kSteps;
    const std::size_t i = at.block * kRun + s / kSteps;
    const Row row(i, of.width);
    const auto total = [&](int k) { return shared.lane[k][0]; };
    if (s == 0) thread.gradients.clear();
    if (s == kRun * kSteps) return of.store(at.block, 0, at.thread, row, thread.gradients);
    if (i >= of.rows) return;
    if (own == 0) {
      of.load(0, at.thread, false, row, shared.tile);
    } else if (own == 1) {
      if (s / kSteps + 1 < kRun && i + 1 < of.rows) of.ask(0, at.thread, Row(i + 1, of.width));
      if (at.thread < ops::kLanes) add(i, at.thread, row, total, shared);
    } else if (own < kSteps - 1) {
      shared.add_lanes(0, own - 2, at.thread);
    } else {
      of.write(i, 0, at.thread, row, shared.tile, total, thread.gradients);
    }
  }

 private:
  static constexpr int kSteps = 2 + ops::kTreeSteps + 1;  // of a row

  template <class Total>
  NORMPROOF_DEVICE void add(std::size_t i, int lane, const Row& row, const Total& total,
                            Shared& shared) const {
    typename Backward::Scalar sums[Backward::kSums] = {};
    of.add(i, 0, lane, 0, row, shared.tile, total, sums);
    for (int k = 0; k < Backward::kSums; ++k) shared.lane[k][lane] = sums[k];
  }
};

/// A cluster a run, each of whose blocks keeps one tile of a row: as RowClusters has a row. Each
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

  NORMPROOF_DEVICE int steps() const { return kRun * steps_of_a_row() + 1; }
  NORMPROOF_DEVICE void step(int s, device::ClusterPosition at, Thread& thread,
                             Memory memory) const {
    const int own = s % steps_of_a_row(), number = s / steps_of_a_row();
    const int last = tiles() - 1;
    const std::size_t i = at.cluster * kRun + number;
    const Row row(i, of.width);
    const auto total = [&](int k) { return memory[last].lane[k][0]; };
    if (s == 0) thread.gradients.clear();
    if (number == kRun) return of.store(at.cluster, at.rank, at.thread, row, thread.gradients);
    if (i >= of.rows) return;
    if (own == 0) return of.load(at.rank, at.thread, false, row, memory[at.rank].tile);
    if (own == 1 && number + 1 < kRun && i + 1 < of.rows)
      of.ask(at.rank, at.thread, Row(i + 1, of.width));
    if (own == steps_of_a_row() - 1)
      of.write(i, at.rank, at.thread, row, memory[at.rank].tile, total, thread.gradients);
    else if (own > tiles() && at.rank == last)
      memory[last].add_lanes(0, own - 1 - tiles(), at.thread);
    else if (own - 1 == at.rank && at.thread < ops::kLanes)
      add_after_block_before(of, i, 0, at, row, memory, total);
  }

 private:
  NORMPROOF_DEVICE int tiles() const { return Row::tiles(of.width); }
  NORMPROOF_DEVICE int steps_of_a_row() const { return 1 + tiles() + ops::kTreeSteps + 1; }
};

/// A block a run, of rows of more tiles than a cluster has blocks: first the sums of each row,
/// whose tiles pass through; then of each tile that part of all rows, loaded again and written.
template <class Backward>
struct RunTiles {
  using Shape = WideRunTile<Backward>;
  static constexpr int kThreads = Shape::kThreads;
  static constexpr int kBlocks = Shape::kBlocks;
  using Scalar = typename Backward::Scalar;
  struct Shared {
    RowTiles<Backward, Shape> row;
    Scalar total[kRun][Backward::kSums];
  };
  using Row = typename RowTiles<Backward, Shape>::Row;
  struct Thread {
    Scalar sums[Backward::kSums];
    typename Backward::template Gradients<Row> gradients;
  };

  Backward of;

  NORMPROOF_DEVICE int steps() const { return kRun * steps_of_a_row() + tiles() * kStepsOfATile; }
  NORMPROOF_DEVICE void step(int s, Position at, Thread& thread, Shared& shared) const {
    const int of_sums = kRun * steps_of_a_row();
    if (s < of_sums) return add_up(s / steps_of_a_row(), s % steps_of_a_row(), at, thread, shared);
    const int t = (s - of_sums) / kStepsOfATile, own = (s - of_sums) % kStepsOfATile;
    const std::size_t i = at.block * kRun + own / 2;
    const Row row(i, of.width);
    if (own == 0) thread.gradients.clear();
    if (own == 2 * kRun) return of.store(at.block, t, at.thread, row, thread.gradients);
    if (i >= of.rows) return;
    if (own % 2 == 0)
      of.load(t, at.thread, true, row, shared.row.tile);
    else
      of.write(
          i, t, at.thread, row, shared.row.tile, [&](int k) { return shared.total[own / 2][k]; },
          thread.gradients);
  }

 private:
  static constexpr int kStepsOfATile = 2 * kRun + 1;

  NORMPROOF_DEVICE int tiles() const { return Row::tiles(of.width); }
  NORMPROOF_DEVICE int steps_of_a_row() const { return 2 * tiles() + ops::kTreeSteps + 1; }

  /// Step `own` of the sums of a run's row of that number.
  NORMPROOF_DEVICE void add_up(int number, int own, Position at, Thread& thread,
                               Shared& shared) const {
    const std::size_t i = at.block * kRun + number;
    if (i >= of.rows) return;
    const Row row(i, of.width);
    const int t = own / 2;
    if (own == steps_of_a_row() - 1) {
      for (int k = 0; at.thread == 0 && k < Backward::kSums; ++k)
        shared.total[number][k] = shared.row.lane[k][0];
    } else if (own >= 2 * tiles()) {
      shared.row.add_lanes(0, own - 2 * tiles(), at.thread);
    } else if (own % 2 == 0) {
      of.load(t, at.thread, false, row, shared.row.tile);
    } else if (at.thread < ops::kLanes) {
      for (int k = 0; t == 0 && k < Backward::kSums; ++k) thread.sums[k] = 0;
      of.add(
          i, t, at.thread, 0, row, shared.row.tile, [](int) { return Scalar(0); }, thread.sums);
      for (int k = 0; t == tiles() - 1 && k < Backward::kSums; ++k)
        shared.row.lane[k][at.thread] = thread.sums[k];
    }
  }
};

}  // namespace normproof::gpu::norm
