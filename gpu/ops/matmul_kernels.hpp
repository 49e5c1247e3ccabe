#pragma once

#include "gpu/device/position.hpp"
#include "gpu/ops/matrices.hpp"

/// Matrix products in the order of docs/determinism.md, R1: for each element of c chains of 256
/// fma from +0 with k ascending, whose results are added from left to right.
namespace normproof::gpu::ops {

using device::Position;
using device::Span;

/// Terms in one chain.
inline constexpr std::size_t kChain = 256;

/// What a block computes: a tile of kTile x kTile elements of c. A thread keeps kOwn x kOwn chains
/// in registers; what they multiply passes through shared memory, kDepth terms at a time.
inline constexpr std::size_t kOwn = 8;
inline constexpr std::size_t kAcross = 8;
inline constexpr std::size_t kTile = kOwn * kAcross;
inline constexpr std::size_t kDepth = 16;
static_assert(kChain % kDepth == 0);

/// How the tiles of a product are numbered.
struct TileGrid {
  std::size_t rows, columns, batches, splits;
  NORMPROOF_DEVICE std::size_t tile_row(std::size_t block) const { return block / columns % rows; }
  NORMPROOF_DEVICE std::size_t tile_column(std::size_t block) const { return block % columns; }
  NORMPROOF_DEVICE std::size_t batch(std::size_t block) const {
    return block / columns / rows % batches;
  }
  NORMPROOF_DEVICE std::size_t split(std::size_t block) const {
    return block / columns / rows / batches;
  }
};

/// Without splits every block takes all of its chains, adding each to c as it ends. With splits a
/// block takes one chain, and c is a workspace [chains, batches, M, N]: the same bits, spread over
/// more blocks (AddChains adds them up).
struct MatmulTiles {
  static constexpr int kThreads = static_cast<int>(kAcross * kAcross);
  struct Shared {
    double a[kDepth][kTile];
    double b[kDepth][kTile];
  };
  struct Thread {
    double sum[kOwn][kOwn];
  };

  Matrices<const double> a, b;
  Matrices<double> c;
  TileGrid grid;
  bool add;  ///< the old c takes part as if it were a chain before the first

  NORMPROOF_DEVICE int steps() const {
    const std::size_t terms = grid.splits > 1 ? kChain : a.columns;
    return static_cast<int>(2 * ((terms + kDepth - 1) / kDepth));
  }
  /// Steps 2 i bring the terms kDepth i, ... to shared memory, steps 2 i + 1 add them.
  NORMPROOF_DEVICE void step(int s, Position at, Thread& thread, Shared& shared) const {
    const std::size_t split = grid.split(at.block);
    const std::size_t k = split * kChain + static_cast<std::size_t>(s / 2) * kDepth;
    if (k >= a.columns) return;
    const std::size_t depth = a.columns - k < kDepth ? a.columns - k : kDepth;
    if (s % 2 == 0)
      bring(at, k, depth, shared);
    else
      add_terms(at, k, depth, thread, shared);
  }

 private:
  NORMPROOF_DEVICE void bring(Position at, std::size_t k, std::size_t depth, Shared& shared) const {
    const std::size_t batch = grid.batch(at.block);
    const std::size_t row = grid.tile_row(at.block) * kTile;
    const std::size_t column = grid.tile_column(at.block) * kTile;
    for (std::size_t i = static_cast<std::size_t>(at.thread); i < depth * kTile;
         i += static_cast<std::size_t>(kThreads)) {
      const std::size_t d = i / kTile;
      const std::size_t own = i % kTile;
      shared.a[d][own] = row + own < a.rows ? a.at(batch, row + own, k + d) : 0.0;
      shared.b[d][own] = column + own < b.columns ? b.at(batch, k + d, column + own) : 0.0;
    }
  }

  NORMPROOF_DEVICE void add_terms(Position at, std::size_t k, std::size_t depth, Thread& thread,
                                  const Shared& shared) const {
    const std::size_t down = static_cast<std::size_t>(at.thread) / kAcross;
    const std::size_t across = static_cast<std::size_t>(at.thread) % kAcross;
    if (k % kChain == 0)
      for (auto& row : thread.sum)
        for (double& sum : row) sum = 0;
    for (std::size_t d = 0; d < depth; ++d)
      for (std::size_t i = 0; i < kOwn; ++i)
        for (std::size_t j = 0; j < kOwn; ++j)
          thread.sum[i][j] = __builtin_fma(shared.a[d][down + i * kAcross],
                                           shared.b[d][across + j * kAcross], thread.sum[i][j]);
    const std::size_t end = k + depth;
    if (end % kChain == 0 || end == a.columns)
      put(at, down, across, end <= kChain || grid.splits > 1, thread);
  }

  /// The end of a chain.
  NORMPROOF_DEVICE void put(Position at, std::size_t down, std::size_t across, bool first,
                            const Thread& thread) const {
    const std::size_t batch = grid.splits > 1
                                  ? grid.split(at.block) * grid.batches + grid.batch(at.block)
                                  : grid.batch(at.block);
    for (std::size_t i = 0; i < kOwn; ++i) {
      const std::size_t row = grid.tile_row(at.block) * kTile + down + i * kAcross;
      for (std::size_t j = 0; j < kOwn; ++j) {
        const std::size_t column = grid.tile_column(at.block) * kTile + across + j * kAcross;
        if (row >= c.rows || column >= c.columns) continue;
        double& element = c.at(batch, row, column);
        element = first && !add ? thread.sum[i][j] : element + thread.sum[i][j];
      }
    }
  }
};

/// c = ((c + S_0) + S_1) + ..., without the old c unless `add`.
struct AddChains {
  Span<const double> chains;  ///< [count, batches, M, N]
  std::size_t count;
  Matrices<double> c;
  bool add;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    const std::size_t each = c.rows * c.columns;
    double& element = c.at(i / each, i % each / c.columns, i % c.columns);
    double total = add ? element + chains[i] : chains[i];
    const std::size_t stride = chains.size / count;
    for (std::size_t s = 1; s < count; ++s) total += chains[s * stride + i];
    element = total;
  }
};

/// +0 in every element: a product over no terms.
struct ClearMatrices {
  Matrices<double> c;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    const std::size_t each = c.rows * c.columns;
    c.at(i / each, i % each / c.columns, i % c.columns) = 0;
  }
};

}  // namespace normproof::gpu::ops
