#pragma once

#include "gpu/device/position.hpp"
#include "gpu/norm/tiled_row.hpp"

/// Kernels that process rows of float32, bfloat16 or float16 numbers. Sums have the order of
/// docs/specification/determinism.md, R2: 32 lanes, then a tree. In every launch, one warp holds
/// the lanes of a row. The computation on a row is a template parameter, the "direction":
/// float32_forward_row.hpp or float32_backward_row.hpp. Tiles and slots are explained in
/// tiled_row.hpp. A direction has
///   kNumTensors   the number of tensors for which each tile has slots
///   kNumPasses    the number of summations over the row; a pass may use the sums of earlier passes
///   kNumSums      the number of sums in each pass
///   load       fills a tile; its argument `again` is true after the first pass
///   add        adds a lane's terms of a tile to the sums of a pass
///   write      stores the results for the slots of a tile
/// The kernels in this header use one block or one cluster for each row. The backward runs on the
/// kernels of float32_run_kernels.hpp instead.
namespace normproof::gpu::norm {

using device::Position;

/// The shared memory of a block: a tile of the row, and the lanes of the sums.
template <class Direction, class Shape>
struct RowTiles {
  using Scalar = typename Direction::Scalar;
  using Row = TiledRow<typename Direction::Format, Shape>;

  typename Row::Slot tile[Direction::kNumTensors][Shape::kSlots];
  Scalar lane[Direction::kNumPasses * Direction::kNumSums][ops::kLanes];

  /// Performs step s of the tree that adds the lanes of a pass. The strides of the steps are 16, 8,
  /// 4, 2, 1.
  NORMPROOF_DEVICE void add_lanes(int pass, int s, int thread) {
    const int stride = ops::kLanes >> (s + 1);
    for (int k = 0; thread < stride && k < Direction::kNumSums; ++k) {
      Scalar(&own)[ops::kLanes] = lane[pass * Direction::kNumSums + k];
      own[thread] += own[thread + stride];
    }
  }
};

/// Continues the sums of the previous block of a cluster. Each block of the cluster keeps one tile
/// of the row. Starts from the lanes of the previous block and adds this block's terms to them.
template <class Direction, class Row, class Memory, class Total>
NORMPROOF_DEVICE void continue_lanes_of_previous_block(const Direction& of, std::size_t i, int pass,
                                                       device::ClusterPosition at, const Row& row,
                                                       Memory memory, const Total& total) {
  typename Direction::Scalar sums[Direction::kNumSums];
  for (int k = 0; k < Direction::kNumSums; ++k)
    sums[k] =
        at.rank == 0 ? 0 : memory[at.rank - 1].lane[pass * Direction::kNumSums + k][at.thread];
  of.add(i, at.rank, at.thread, pass, row, memory[at.rank].tile, total, sums);
  for (int k = 0; k < Direction::kNumSums; ++k)
    memory[at.rank].lane[pass * Direction::kNumSums + k][at.thread] = sums[k];
}

/// Processes one row per block. In each pass, every tile of the row is loaded into shared memory
/// and its terms are added. Finally every tile is loaded again and its results are written. A row
/// of only one tile is loaded once.
template <class Direction, class Shape>
struct RowBlocks {
  static constexpr int kThreads = Shape::kThreads;
  static constexpr int kBlocks = Shape::kBlocks;
  using Shared = RowTiles<Direction, Shape>;
  using Row = typename Shared::Row;
  using Scalar = typename Direction::Scalar;
  struct Thread {
    Scalar sums[Direction::kNumSums];
  };

  Direction of;

  NORMPROOF_DEVICE int steps() const {
    return Direction::kNumPasses * (2 * tiles() + ops::kTreeSteps) + 2 * tiles();
  }
  NORMPROOF_DEVICE void step(int s, Position at, Thread& thread, Shared& shared) const {
    const int each = 2 * tiles() + ops::kTreeSteps;
    const int pass = s / each, own = s % each;
    const int t = own / 2;
    const std::size_t i = at.block;
    const Row row(i, of.width);
    const auto total = [&](int k) { return shared.lane[k][0]; };
    if (pass < Direction::kNumPasses && own >= 2 * tiles()) {
      shared.add_lanes(pass, own - 2 * tiles(), at.thread);
    } else if (own % 2 == 0) {
      if (s == 0 || tiles() > 1) of.load(t, at.thread, pass > 0, row, shared.tile);
    } else if (pass == Direction::kNumPasses) {
      of.write(i, t, at.thread, row, shared.tile, total);
    } else if (at.thread < ops::kLanes) {
      for (int k = 0; t == 0 && k < Direction::kNumSums; ++k) thread.sums[k] = 0;
      of.add(i, t, at.thread, pass, row, shared.tile, total, thread.sums);
      for (int k = 0; t == tiles() - 1 && k < Direction::kNumSums; ++k)
        shared.lane[pass * Direction::kNumSums + k][at.thread] = thread.sums[k];
    }
  }

 private:
  NORMPROOF_DEVICE int tiles() const { return Row::tiles(of.width); }
};

/// Processes one row per cluster. Each block keeps one tile of the row, so the row is read once.
/// Each block adds its tile's terms to the lanes of the previous block. The last block adds the
/// lanes as a tree. Then all blocks write their results.
template <class Direction>
struct RowClusters {
  using Shape = WideTile<Direction::kNumTensors>;
  static constexpr int kThreads = Shape::kThreads;
  static constexpr int kBlocks = Shape::kBlocks;
  using Shared = RowTiles<Direction, Shape>;
  using Memory = device::ClusterMemory<Shared>;
  using Row = typename Shared::Row;
  struct Thread {};

  Direction of;

  NORMPROOF_DEVICE int steps() const {
    return 1 + Direction::kNumPasses * (tiles() + ops::kTreeSteps) + 1;
  }
  NORMPROOF_DEVICE void step(int s, device::ClusterPosition at, Thread&, Memory memory) const {
    const int each = tiles() + ops::kTreeSteps;
    const int last = tiles() - 1;
    const std::size_t i = at.cluster;
    const Row row(i, of.width);
    if (s == 0) return of.load(at.rank, at.thread, false, row, memory[at.rank].tile);
    const int pass = (s - 1) / each, own = (s - 1) % each;
    const auto total = [&](int k) { return memory[last].lane[k][0]; };
    if (pass == Direction::kNumPasses)
      of.write(i, at.rank, at.thread, row, memory[at.rank].tile, total);
    else if (own > last && at.rank == last)
      memory[last].add_lanes(pass, own - tiles(), at.thread);
    else if (own == at.rank && at.thread < ops::kLanes)
      continue_lanes_of_previous_block(of, i, pass, at, row, memory, total);
  }

 private:
  NORMPROOF_DEVICE int tiles() const { return Row::tiles(of.width); }
};

}  // namespace normproof::gpu::norm
