#pragma once

#include "gpu/device/position.hpp"
#include "gpu/ops/matrices.hpp"
#if !defined(__CUDACC__)
#include "gpu/ops/simulated_mma.hpp"
#endif

/// Matrix products in the order of docs/specification/determinism.md, R1: for each element of c chains of 256
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

/// A tile's chains by the tensor cores in double: mma.m16n8k8, or mma.m8n8k4 before compute
/// capability 9.0. Right where an instruction is a chain of eight or four fma, which
/// ordered_products.cpp asks of the device. A warp has a quarter of the tile, 4 x 4 pieces of 8
/// rows and columns; of a piece lane l has the element (l / 4, 2 (l % 4)) and its right neighbour.
struct TensorCells {
  static constexpr int kThreads = 128;
  static constexpr int kBlocks = 3;
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
  /// On the processor: kDepth terms, one fma a term, as the instructions should be.
  void add_terms(std::size_t thread, const TileTerms& terms) {
    const std::size_t lane = thread % 32;
    simulated_mma()(&terms.a[0][row(thread, 0) + lane / 4],
                    &terms.b[0][column(thread, 0) + 2 * (lane % 4)], &sum[0][0][0]);
  }
#else
  NORMPROOF_DEVICE void add_terms(std::size_t thread, const TileTerms& terms) {
    for (std::size_t d = 0; d < kDepth; d += 8) add_eight(thread, d, terms);
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
  /// Lane l brings the elements (l / 4, l % 4) and (l / 4, l % 4 + 4) of 8 rows of a, and (l % 4,
  /// l / 4), (l % 4 + 4, l / 4) of 8 columns of b.
  NORMPROOF_DEVICE void add_eight(std::size_t thread, std::size_t d, const TileTerms& terms) {
    const std::size_t own = thread % 4, place = thread % 32 / 4;
    double a[kPieces][2];
    for (std::size_t i = 0; i < kPieces; ++i)
      for (std::size_t h = 0; h < 2; ++h)
        a[i][h] = terms.a[d + 4 * h + own][row(thread, i) + place];
    for (std::size_t j = 0; j < kPieces; ++j) {
      const double b[2] = {terms.b[d + own][column(thread, j) + place],
                           terms.b[d + 4 + own][column(thread, j) + place]};
      for (std::size_t i = 0; i < kPieces; i += 2)
        add_products(sum[i][j], sum[i + 1][j], a[i], a[i + 1], b);
    }
  }
  /// Eight terms for two pieces, the second below the first; a_top[h], a_low[h] and b[h] are of
  /// terms 4 h to 4 h + 3.
  static NORMPROOF_DEVICE void add_products(double (&top)[2], double (&low)[2],
                                            const double (&a_top)[2], const double (&a_low)[2],
                                            const double (&b)[2]) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+d"(top[0]), "+d"(top[1]), "+d"(low[0]), "+d"(low[1])
        : "d"(a_top[0]), "d"(a_low[0]), "d"(a_top[1]), "d"(a_low[1]), "d"(b[0]), "d"(b[1]));
#else
    for (std::size_t h = 0; h < 2; ++h) {
      add_four(top, a_top[h], b[h]);
      add_four(low, a_low[h], b[h]);
    }
#endif
  }
  static NORMPROOF_DEVICE void add_four(double (&piece)[2], double a, double b) {
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(piece[0]), "+d"(piece[1])
                 : "d"(a), "d"(b));
  }
#elif defined(__CUDACC__)
  /// nvcc reads it for the host too, where nothing calls it.
  NORMPROOF_DEVICE void add_eight(std::size_t, std::size_t, const TileTerms&) {}
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

/// What a thread keeps from step to step: its chains, the terms that it fetches for the next step,
/// and where its block's tile lies, found once, for it takes divisions.
template <class Cells>
struct TileThread {
  static constexpr std::size_t kFetched = kDepth * kTile / Cells::kThreads;
  Cells cells;
  double a[kFetched], b[kFetched];
  std::size_t begin;          ///< the block's first term
  std::size_t rows, columns;  ///< of c from the tile's first element on
  /// In the data: the tile's first row of a, column of b and element of c.
  std::size_t in_a, in_b, in_c;
};

/// Without splits every block takes all of its chains, adding each to c as it ends. With splits a
/// block takes one chain, and c is a workspace [chains, batches, M, N]: the same bits, spread over
/// more blocks (AddChains adds them up).
template <class Cells>
struct MatmulTiles {
  static constexpr int kThreads = Cells::kThreads;
  static constexpr int kBlocks = Cells::kBlocks;
  using Shared = TileTerms;
  using Thread = TileThread<Cells>;

  Matrices<const double> a, b;
  Matrices<double> c;
  TileGrid grid;
  bool add;  ///< the old c takes part as if it were a chain before the first

  NORMPROOF_DEVICE int steps() const {
    const std::size_t terms = grid.splits > 1 ? kChain : a.columns;
    return static_cast<int>(2 * ((terms + kDepth - 1) / kDepth));
  }
  /// Steps 2 i put the terms kDepth i, ... into shared memory, steps 2 i + 1 add them, while the
  /// next ones are on their way to registers.
  NORMPROOF_DEVICE void step(int s, Position at, Thread& own, Shared& terms) const {
    if (s == 0) find_tile(at.block, own);
    const std::size_t k = own.begin + static_cast<std::size_t>(s / 2) * kDepth;
    if (k >= a.columns) return;
    const auto thread = static_cast<std::size_t>(at.thread);
    if (s % 2 == 0) {
      if (s == 0) fetch(thread, k, own);
      share(thread, own, terms);
      return;
    }
    if (s + 1 < steps() && k + kDepth < a.columns) fetch(thread, k + kDepth, own);
    if (k % kChain == 0)
      own.cells.for_each(thread, [](std::size_t, std::size_t, double& chain) { chain = 0; });
    own.cells.add_terms(thread, terms);
    const std::size_t end = k + kDepth;
    if (end % kChain == 0 || end >= a.columns) put(thread, end <= kChain || grid.splits > 1, own);
  }

 private:
  /// An element of an operand's tile: of a its row and term, of b its column and term.
  struct Place {
    std::size_t own, term;
  };
  /// The first that a thread fetches: threads beside each other take what lies side by side in
  /// memory, 4 terms of a row, or a column of them.
  static NORMPROOF_DEVICE Place first_place(std::size_t thread, bool terms_are_neighbours) {
    if (terms_are_neighbours) return {thread / 4, thread % 4};
    return {thread % kTile, thread / kTile};
  }
  /// How far the n-th element that a thread fetches lies from its first.
  static NORMPROOF_DEVICE Place way(std::size_t n, bool terms_are_neighbours) {
    constexpr std::size_t kFours = kThreads / 4, kRounds = kTile / kFours;
    if (terms_are_neighbours) return {n % kRounds * kFours, n / kRounds * 4};
    return {0, n * (kThreads / kTile)};
  }

  NORMPROOF_DEVICE void find_tile(std::size_t block, Thread& own) const {
    const std::size_t split = grid.split(block), batch = grid.batch(block);
    const std::size_t row = grid.tile_row(block) * kTile;
    const std::size_t column = grid.tile_column(block) * kTile;
    own.begin = split * kChain;
    own.rows = c.rows - row;
    own.columns = c.columns - column;
    own.in_a = a.offset(batch) + row * a.row_stride;
    own.in_b = b.offset(batch) + column * b.column_stride;
    own.in_c = c.offset(grid.splits > 1 ? split * grid.batches + batch : batch) +
               row * c.row_stride + column * c.column_stride;
  }
  /// Past the end of the terms -0 and +0: fma(-0, 0, chain) is the chain, also where it is -0.
  NORMPROOF_DEVICE void fetch(std::size_t thread, std::size_t k, Thread& own) const {
    fetch(thread, {a.data, own.in_a, a.row_stride, a.column_stride, own.rows}, k, -0.0, own.a);
    fetch(thread, {b.data, own.in_b, b.column_stride, b.row_stride, own.columns}, k, 0.0, own.b);
  }
  /// An operand from the tile's first row, of b its first column, on.
  struct Operand {
    Span<const double> data;
    std::size_t first, own_stride, term_stride, owns;
  };
  NORMPROOF_DEVICE void fetch(std::size_t thread, const Operand& x, std::size_t k, double past,
                              double (&to)[Thread::kFetched]) const {
    const bool neighbours = x.term_stride == 1;
    const Place first = first_place(thread, neighbours);
    const std::size_t from = x.first + first.own * x.own_stride + (k + first.term) * x.term_stride;
    if (x.owns >= kTile && k + kDepth <= a.columns) {
      for (std::size_t n = 0; n < Thread::kFetched; ++n) {
        const Place p = way(n, neighbours);
        to[n] = x.data[from + p.own * x.own_stride + p.term * x.term_stride];
      }
      return;
    }
    for (std::size_t n = 0; n < Thread::kFetched; ++n) {
      const Place p = way(n, neighbours);
      to[n] = first.own + p.own < x.owns && k + first.term + p.term < a.columns
                  ? x.data[from + p.own * x.own_stride + p.term * x.term_stride]
                  : past;
    }
  }
  NORMPROOF_DEVICE void share(std::size_t thread, const Thread& own, Shared& terms) const {
    share(thread, a.column_stride == 1, own.a, terms.a);
    share(thread, b.row_stride == 1, own.b, terms.b);
  }
  static NORMPROOF_DEVICE void share(std::size_t thread, bool terms_are_neighbours,
                                     const double (&from)[Thread::kFetched],
                                     double (&to)[kDepth][kTile + 4]) {
    const Place first = first_place(thread, terms_are_neighbours);
    for (std::size_t n = 0; n < Thread::kFetched; ++n) {
      const Place p = way(n, terms_are_neighbours);
      to[first.term + p.term][first.own + p.own] = from[n];
    }
  }

  /// The end of a chain.
  NORMPROOF_DEVICE void put(std::size_t thread, bool first, Thread& own) const {
    own.cells.for_each(thread, [&](std::size_t i, std::size_t j, double& chain) {
      if (i >= own.rows || j >= own.columns) return;
      double& element = c.data[own.in_c + i * c.row_stride + j * c.column_stride];
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
