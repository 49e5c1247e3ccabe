#pragma once

#include "gpu/device/position.hpp"
#include "gpu/ops/matrices.hpp"
#if !defined(__CUDACC__)
#include "gpu/ops/simulated_mma.hpp"
#endif

/// Matrix products in the order of docs/determinism.md, R1: for each element of c chains of 256
/// fma from +0 with k ascending, whose results are added from left to right.
namespace normproof::gpu::ops {

using device::Position;
using device::Span;

/// Terms in one chain.
inline constexpr std::size_t kChain = 256;

/// What a block computes: a tile of kTile x kTile elements of c. What is multiplied passes through
/// shared memory, kDepth terms at a time.
inline constexpr std::size_t kTile = 64;
inline constexpr std::size_t kDepth = 16;
static_assert(kChain % kDepth == 0);

/// A term is a row; where a warp reads 4 terms of 8 neighbours no two meet in a bank.
struct TileTerms {
  double a[kDepth][kTile + 4];
  double b[kDepth][kTile + 4];
};

/// The chains of a tile, 8 x 8 a thread, every 8th row and column.
struct FmaCells {
  static constexpr int kThreads = 64;
  static constexpr int kBlocks = 4;
  static constexpr std::size_t kOwn = 8;
  double sum[kOwn][kOwn];

  /// f(row, column, chain) for each of a thread's.
  template <class F>
  NORMPROOF_DEVICE void for_each(std::size_t thread, F f) {
    for (std::size_t i = 0; i < kOwn; ++i)
      for (std::size_t j = 0; j < kOwn; ++j)
        f(thread / kOwn + i * kOwn, thread % kOwn + j * kOwn, sum[i][j]);
  }
  NORMPROOF_DEVICE void add_terms(std::size_t thread, const TileTerms& terms) {
    for (std::size_t d = 0; d < kDepth; ++d)
      for (std::size_t i = 0; i < kOwn; ++i)
        for (std::size_t j = 0; j < kOwn; ++j)
          sum[i][j] = __builtin_fma(terms.a[d][thread / kOwn + i * kOwn],
                                    terms.b[d][thread % kOwn + j * kOwn], sum[i][j]);
  }
};

/// A tile's chains by the tensor cores in double (mma.m8n8k4), if an instruction is a chain of four
/// fma: ordered_products.cpp asks the device. A warp has a quarter of the tile, 4 x 4 pieces of 8 x
/// 8; of a piece lane l has the elements (l / 4, 2 (l % 4)) and its right neighbour.
struct TensorCells {
  static constexpr int kThreads = 128;
  static constexpr int kBlocks = 4;
  static constexpr std::size_t kPieces = 4;
#if !defined(__CUDACC__)
  static_assert(kPieces == kSimulatedPieces && kDepth == kSimulatedDepth &&
                sizeof TileTerms{}.a[0] == kSimulatedRow * sizeof(double));
#endif
  double sum[kPieces][kPieces][2];

  template <class F>
  NORMPROOF_DEVICE void for_each(std::size_t thread, F f) {
    const std::size_t lane = thread % 32;
    for (std::size_t i = 0; i < kPieces; ++i)
      for (std::size_t j = 0; j < kPieces; ++j)
        for (std::size_t e = 0; e < 2; ++e)
          f(row(thread, i) + lane / 4, column(thread, j) + 2 * (lane % 4) + e, sum[i][j][e]);
  }
#if !defined(__CUDACC__)
  /// The instructions as they should be.
  void add_terms(std::size_t thread, const TileTerms& terms) {
    const std::size_t lane = thread % 32;
    simulated_mma()(&terms.a[0][row(thread, 0) + lane / 4],
                    &terms.b[0][column(thread, 0) + 2 * (lane % 4)], &sum[0][0][0]);
  }
#else
  NORMPROOF_DEVICE void add_terms(std::size_t thread, const TileTerms& terms) {
    for (std::size_t d = 0; d < kDepth; d += 4) add_four(thread, d, terms);
  }
#endif

 private:
  static NORMPROOF_DEVICE std::size_t row(std::size_t thread, std::size_t piece) {
    return thread / 64 * 32 + piece * 8;
  }
  static NORMPROOF_DEVICE std::size_t column(std::size_t thread, std::size_t piece) {
    return thread / 32 % 2 * 32 + piece * 8;
  }

#if defined(__CUDA_ARCH__)
  /// Lane l brings the element (l / 4, l % 4) of a piece of a, and (l % 4, l / 4) of b.
  NORMPROOF_DEVICE void add_four(std::size_t thread, std::size_t d, const TileTerms& terms) {
    const std::size_t own = thread % 4, place = thread % 32 / 4;
    double a[kPieces], b[kPieces];
    for (std::size_t i = 0; i < kPieces; ++i) {
      a[i] = terms.a[d + own][row(thread, i) + place];
      b[i] = terms.b[d + own][column(thread, i) + place];
    }
    for (std::size_t i = 0; i < kPieces; ++i)
      for (std::size_t j = 0; j < kPieces; ++j)
        asm volatile(
            "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
            : "+d"(sum[i][j][0]), "+d"(sum[i][j][1])
            : "d"(a[i]), "d"(b[j]));
  }
#elif defined(__CUDACC__)
  /// nvcc reads it for the host too, where nothing calls it.
  NORMPROOF_DEVICE void add_four(std::size_t, std::size_t, const TileTerms&) {}
#endif
};

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
template <class Cells>
struct MatmulTiles {
  static constexpr int kThreads = Cells::kThreads;
  static constexpr int kBlocks = Cells::kBlocks;
  using Shared = TileTerms;
  using Thread = Cells;

  Matrices<const double> a, b;
  Matrices<double> c;
  TileGrid grid;
  bool add;  ///< the old c takes part as if it were a chain before the first

  NORMPROOF_DEVICE int steps() const {
    const std::size_t terms = grid.splits > 1 ? kChain : a.columns;
    return static_cast<int>(2 * ((terms + kDepth - 1) / kDepth));
  }
  /// Steps 2 i bring the terms kDepth i, ... to shared memory, steps 2 i + 1 add them.
  NORMPROOF_DEVICE void step(int s, Position at, Thread& cells, Shared& terms) const {
    const std::size_t k = grid.split(at.block) * kChain + static_cast<std::size_t>(s / 2) * kDepth;
    if (k >= a.columns) return;
    const auto thread = static_cast<std::size_t>(at.thread);
    if (s % 2 == 0) {
      bring(at, k, terms);
      return;
    }
    if (k % kChain == 0)
      cells.for_each(thread, [](std::size_t, std::size_t, double& chain) { chain = 0; });
    cells.add_terms(thread, terms);
    const std::size_t end = k + kDepth;
    if (end % kChain == 0 || end >= a.columns) put(at, end <= kChain || grid.splits > 1, cells);
  }

 private:
  /// Past the end of the terms -0 and +0: fma(-0, 0, chain) is the chain, also where it is -0.
  NORMPROOF_DEVICE void bring(Position at, std::size_t k, Shared& terms) const {
    const std::size_t batch = grid.batch(at.block);
    const std::size_t row = grid.tile_row(at.block) * kTile;
    const std::size_t column = grid.tile_column(at.block) * kTile;
    bring(at, a.column_stride == 1, terms.a, [&](std::size_t own, std::size_t d) {
      return row + own < a.rows && k + d < a.columns ? a.at(batch, row + own, k + d) : -0.0;
    });
    bring(at, b.row_stride == 1, terms.b, [&](std::size_t own, std::size_t d) {
      return column + own < b.columns && k + d < a.columns ? b.at(batch, k + d, column + own) : 0.0;
    });
  }

  /// Threads beside each other take what lies side by side in memory: 4 terms of a row, or a column
  /// of them.
  template <class Element>
  static NORMPROOF_DEVICE void bring(Position at, bool terms_are_neighbours,
                                     double (&to)[kDepth][kTile + 4], const Element& element) {
    for (auto i = static_cast<std::size_t>(at.thread); i < kDepth * kTile;
         i += static_cast<std::size_t>(kThreads)) {
      const std::size_t own = terms_are_neighbours ? i / 4 % kTile : i % kTile;
      const std::size_t d = terms_are_neighbours ? i % 4 + i / (4 * kTile) * 4 : i / kTile;
      to[d][own] = element(own, d);
    }
  }

  /// The end of a chain.
  NORMPROOF_DEVICE void put(Position at, bool first, Thread& cells) const {
    const std::size_t batch = grid.splits > 1
                                  ? grid.split(at.block) * grid.batches + grid.batch(at.block)
                                  : grid.batch(at.block);
    const std::size_t top = grid.tile_row(at.block) * kTile;
    const std::size_t left = grid.tile_column(at.block) * kTile;
    cells.for_each(static_cast<std::size_t>(at.thread),
                   [&](std::size_t i, std::size_t j, double& chain) {
                     if (top + i >= c.rows || left + j >= c.columns) return;
                     double& element = c.at(batch, top + i, left + j);
                     element = first && !add ? chain : element + chain;
                   });
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
