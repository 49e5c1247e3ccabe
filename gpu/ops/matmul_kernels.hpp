#pragma once

#include "gpu/device/position.hpp"
#include "gpu/ops/matrices.hpp"
#if !defined(__CUDACC__)
#include "gpu/ops/simulated_mma.hpp"
#endif

/// Matrix products in the order of docs/specification/determinism.md, R1. Each element of c is a
/// sum, from left to right, of chains. A chain is 256 fma with ascending k, starting from +0.
namespace normproof::gpu::ops {

using device::Position;
using device::Span;

/// The number of terms in one chain.
inline constexpr std::size_t kChain = 256;

/// The width and height of the tile of c that a block computes. The operands pass through shared
/// memory, kTermsPerTile terms at a time.
inline constexpr std::size_t kTile = 64;
inline constexpr std::size_t kTermsPerTile = 16;
static_assert(kChain % kTermsPerTile == 0);

/// The part of both operands that is in shared memory. Each row holds the elements of one term k.
/// The padding of 4 numbers per row avoids bank conflicts when a warp reads 4 terms of 8
/// neighboring rows of `a`, or 4 terms of 8 neighboring columns of `b`.
struct TileTerms {
  double a[kTermsPerTile][kTile + 4];
  double b[kTermsPerTile][kTile + 4];
};

/// The chains of a tile, computed with fma instructions. Each thread has 8 x 8 chains: every 8th
/// row and column of the tile.
struct FmaChains {
  static constexpr int kThreads = 64;
  static constexpr int kBlocks = 4;
  static constexpr std::size_t kChainsPerSide = 8;
  double sum[kChainsPerSide][kChainsPerSide];

  /// Calls f(row, column, chain) for each chain of the thread. chain is a reference.
  template <class F>
  NORMPROOF_DEVICE void for_each(std::size_t thread, F f) {
    for (std::size_t i = 0; i < kChainsPerSide; ++i)
      for (std::size_t j = 0; j < kChainsPerSide; ++j)
        f(thread / kChainsPerSide + i * kChainsPerSide,
          thread % kChainsPerSide + j * kChainsPerSide, sum[i][j]);
  }
  NORMPROOF_DEVICE void add_terms(std::size_t thread, const TileTerms& terms) {
    for (std::size_t d = 0; d < kTermsPerTile; ++d)
      for (std::size_t i = 0; i < kChainsPerSide; ++i)
        for (std::size_t j = 0; j < kChainsPerSide; ++j)
          sum[i][j] =
              __builtin_fma(terms.a[d][thread / kChainsPerSide + i * kChainsPerSide],
                            terms.b[d][thread % kChainsPerSide + j * kChainsPerSide], sum[i][j]);
  }
};

/// The chains of a tile, computed with the double-precision tensor cores: mma.m16n8k8, or
/// mma.m8n8k4 if the compute capability is below 9.0. The bits are right only if an instruction is
/// a chain of fma; ordered_products.cpp tests the device for that. A warp has a quarter of the
/// tile: 4 x 4 pieces of 8 rows and 8 columns. In each piece, lane l holds the element (l / 4, 2 (l
/// % 4)) and its right neighbor.
struct TensorCoreChains {
  static constexpr int kThreads = 128;
  static constexpr int kBlocks = 3;
  static constexpr std::size_t kPiecesPerSide = 4;
#if !defined(__CUDACC__)
  static_assert(kPiecesPerSide == kSimulatedPieces && kTermsPerTile == kSimulatedDepth &&
                sizeof TileTerms{}.a[0] == kSimulatedRow * sizeof(double));
#endif
  double sum[kPiecesPerSide][kPiecesPerSide][2];

  template <class F>
  NORMPROOF_DEVICE void for_each(std::size_t thread, F f) {
    const std::size_t lane = thread % 32;
    for (std::size_t i = 0; i < kPiecesPerSide; ++i)
      for (std::size_t j = 0; j < kPiecesPerSide; ++j)
        for (std::size_t e = 0; e < 2; ++e)
          f(row(thread, i) + lane / 4, column(thread, j) + 2 * (lane % 4) + e, sum[i][j][e]);
  }
#if !defined(__CUDACC__)
  /// Adds kTermsPerTile terms on the processor, with one fma per term. This is what the tensor core
  /// instructions should compute.
  void add_terms(std::size_t thread, const TileTerms& terms) {
    const std::size_t lane = thread % 32;
    simulated_mma()(&terms.a[0][row(thread, 0) + lane / 4],
                    &terms.b[0][column(thread, 0) + 2 * (lane % 4)], &sum[0][0][0]);
  }
#else
  NORMPROOF_DEVICE void add_terms(std::size_t thread, const TileTerms& terms) {
    for (std::size_t d = 0; d < kTermsPerTile; d += 8) add_eight_terms(thread, d, terms);
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
  /// Adds 8 terms to all pieces of the thread. Lane l supplies the elements (l / 4, l % 4) and (l /
  /// 4, l % 4 + 4) of 8 rows of `a`, and the elements (l % 4, l / 4) and (l % 4 + 4, l / 4) of 8
  /// columns of `b`.
  NORMPROOF_DEVICE void add_eight_terms(std::size_t thread, std::size_t d, const TileTerms& terms) {
    const std::size_t own = thread % 4, place = thread % 32 / 4;
    double a[kPiecesPerSide][2];
    for (std::size_t i = 0; i < kPiecesPerSide; ++i)
      for (std::size_t h = 0; h < 2; ++h)
        a[i][h] = terms.a[d + 4 * h + own][row(thread, i) + place];
    for (std::size_t j = 0; j < kPiecesPerSide; ++j) {
      const double b[2] = {terms.b[d + own][column(thread, j) + place],
                           terms.b[d + 4 + own][column(thread, j) + place]};
      for (std::size_t i = 0; i < kPiecesPerSide; i += 2)
        add_products(sum[i][j], sum[i + 1][j], a[i], a[i + 1], b);
    }
  }
  /// Adds eight terms to two pieces, `top` and the piece `low` below it. Index h of a_top, a_low
  /// and b selects the terms 4 h to 4 h + 3.
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
      add_four_terms(top, a_top[h], b[h]);
      add_four_terms(low, a_low[h], b[h]);
    }
#endif
  }
  static NORMPROOF_DEVICE void add_four_terms(double (&piece)[2], double a, double b) {
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(piece[0]), "+d"(piece[1])
                 : "d"(a), "d"(b));
  }
#elif defined(__CUDACC__)
  /// This version does nothing. nvcc also compiles the caller for the host, where it never runs.
  NORMPROOF_DEVICE void add_eight_terms(std::size_t, std::size_t, const TileTerms&) {}
#endif
};

/// Numbers the tiles of a product. The functions return the tile row, tile column, matrix of the
/// batch and chain (split) that a block computes.
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

/// The state that a thread keeps between steps: its chains, the terms that it has fetched for the
/// next step, and where its block's tile lies in memory. Finding the tile takes divisions, so it is
/// done once.
template <class Cells>
struct TileThread {
  static constexpr std::size_t kElementsFetchedPerThread = kTermsPerTile * kTile / Cells::kThreads;
  Cells cells;
  double a[kElementsFetchedPerThread], b[kElementsFetchedPerThread];
  std::size_t begin;          ///< the block's first term
  std::size_t rows, columns;  ///< the extents of c from the tile's first element on
  /// The memory offsets of the tile: `in_a` is the offset of its first row of `a`, `in_b` is the
  /// offset of its first column of `b`, and `in_c` is the offset of its first element of `c`.
  std::size_t in_a, in_b, in_c;
};

/// The kernel of a matrix product. Without splits, a block computes all chains of its tile and adds
/// each finished chain to c. With splits, a block computes one chain of its tile and stores it in
/// `c`, which is then a workspace [chains, batches, M, N]; AddChains adds them. Splits give more
/// blocks and the same bits.
template <class Cells>
struct MatmulTiles {
  static constexpr int kThreads = Cells::kThreads;
  static constexpr int kBlocks = Cells::kBlocks;
  using Shared = TileTerms;
  using Thread = TileThread<Cells>;

  Matrices<const double> a, b;
  Matrices<double> c;
  TileGrid grid;
  bool add;  ///< the old c is added as if it were a chain before the first one

  NORMPROOF_DEVICE int steps() const {
    const std::size_t terms = grid.splits > 1 ? kChain : a.columns;
    return static_cast<int>(2 * ((terms + kTermsPerTile - 1) / kTermsPerTile));
  }
  /// Runs step s. Step `s = 2 i` copies kTermsPerTile terms to shared memory, starting with the
  /// block's term number `i kTermsPerTile`. Step `s = 2 i + 1` adds these terms while the next
  /// terms are loaded into registers.
  NORMPROOF_DEVICE void step(int s, Position at, Thread& own, Shared& terms) const {
    if (s == 0) find_tile(at.block, own);
    const std::size_t k = own.begin + static_cast<std::size_t>(s / 2) * kTermsPerTile;
    if (k >= a.columns) return;
    const auto thread = static_cast<std::size_t>(at.thread);
    if (s % 2 == 0) {
      if (s == 0) fetch(thread, k, own);
      copy_to_shared(thread, own, terms);
      return;
    }
    if (s + 1 < steps() && k + kTermsPerTile < a.columns) fetch(thread, k + kTermsPerTile, own);
    if (k % kChain == 0)
      own.cells.for_each(thread, [](std::size_t, std::size_t, double& chain) { chain = 0; });
    own.cells.add_terms(thread, terms);
    const std::size_t end = k + kTermsPerTile;
    if (end % kChain == 0 || end >= a.columns)
      store_chain(thread, end <= kChain || grid.splits > 1, own);
  }

 private:
  /// An element of an operand's tile. `own` is its row in `a` or its column in `b`; `term` is its
  /// index k in the sum.
  struct TileElement {
    std::size_t own, term;
  };
  /// Returns the first element that a thread fetches. Neighboring threads fetch neighbors in
  /// memory. If terms are neighbors in memory, 4 threads fetch 4 terms of a row; otherwise the
  /// threads fetch one term of all rows.
  static NORMPROOF_DEVICE TileElement first_fetched_element(std::size_t thread,
                                                            bool terms_are_contiguous) {
    if (terms_are_contiguous) return {thread / 4, thread % 4};
    return {thread % kTile, thread / kTile};
  }
  /// Returns the offset from the first element that a thread fetches to the n-th one.
  static NORMPROOF_DEVICE TileElement offset_from_first(std::size_t n, bool terms_are_contiguous) {
    constexpr std::size_t kThreadQuads = kThreads / 4, kRounds = kTile / kThreadQuads;
    if (terms_are_contiguous) return {n % kRounds * kThreadQuads, n / kRounds * 4};
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
  /// Fetches the operands for the terms from k on. For terms after the last term, it uses the
  /// operands -0 and +0, because fma(-0, 0, chain) equals the chain, even if the chain is -0.
  NORMPROOF_DEVICE void fetch(std::size_t thread, std::size_t k, Thread& own) const {
    fetch(thread, {a.data, own.in_a, a.row_stride, a.column_stride, own.rows}, k, -0.0, own.a);
    fetch(thread, {b.data, own.in_b, b.column_stride, b.row_stride, own.columns}, k, 0.0, own.b);
  }
  /// The part of an operand that a block multiplies. It starts at the tile's first row of `a` or
  /// first column of `b`.
  struct Operand {
    Span<const double> data;
    std::size_t first, own_stride, term_stride, owns;
  };
  NORMPROOF_DEVICE void fetch(std::size_t thread, const Operand& x, std::size_t k, double past,
                              double (&to)[Thread::kElementsFetchedPerThread]) const {
    const bool neighbours = x.term_stride == 1;
    const TileElement first = first_fetched_element(thread, neighbours);
    const std::size_t from = x.first + first.own * x.own_stride + (k + first.term) * x.term_stride;
    if (x.owns >= kTile && k + kTermsPerTile <= a.columns) {
      for (std::size_t n = 0; n < Thread::kElementsFetchedPerThread; ++n) {
        const TileElement p = offset_from_first(n, neighbours);
        to[n] = x.data[from + p.own * x.own_stride + p.term * x.term_stride];
      }
      return;
    }
    for (std::size_t n = 0; n < Thread::kElementsFetchedPerThread; ++n) {
      const TileElement p = offset_from_first(n, neighbours);
      to[n] = first.own + p.own < x.owns && k + first.term + p.term < a.columns
                  ? x.data[from + p.own * x.own_stride + p.term * x.term_stride]
                  : past;
    }
  }
  NORMPROOF_DEVICE void copy_to_shared(std::size_t thread, const Thread& own, Shared& terms) const {
    copy_to_shared(thread, a.column_stride == 1, own.a, terms.a);
    copy_to_shared(thread, b.row_stride == 1, own.b, terms.b);
  }
  static NORMPROOF_DEVICE void copy_to_shared(
      std::size_t thread, bool terms_are_contiguous,
      const double (&from)[Thread::kElementsFetchedPerThread],
      double (&to)[kTermsPerTile][kTile + 4]) {
    const TileElement first = first_fetched_element(thread, terms_are_contiguous);
    for (std::size_t n = 0; n < Thread::kElementsFetchedPerThread; ++n) {
      const TileElement p = offset_from_first(n, terms_are_contiguous);
      to[first.term + p.term][first.own + p.own] = from[n];
    }
  }

  /// Adds the finished chains of a thread to c.
  NORMPROOF_DEVICE void store_chain(std::size_t thread, bool first, Thread& own) const {
    own.cells.for_each(thread, [&](std::size_t i, std::size_t j, double& chain) {
      if (i >= own.rows || j >= own.columns) return;
      double& element = c.data[own.in_c + i * c.row_stride + j * c.column_stride];
      element = first && !add ? chain : element + chain;
    });
  }
};

/// Adds the chains of each element from left to right: c = ((c + S_0) + S_1) + ..., where S_i is
/// chain i. If `add` is false, the old c is left out of the sum.
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

/// Sets every element of c to +0, which is the product if there are no terms.
struct ClearMatrices {
  Matrices<double> c;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    const std::size_t each = c.rows * c.columns;
    c.at(i / each, i % each / c.columns, i % c.columns) = 0;
  }
};

}  // namespace normproof::gpu::ops
