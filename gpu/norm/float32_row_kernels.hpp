#pragma once

#include "gpu/norm/number_formats.hpp"
#include "gpu/ops/lane_kernels.hpp"

/// layer_norm and rms_norm of rows of float32, bfloat16 or float16, every operation in float32. The
/// sums are those of docs/determinism.md, R2: 32 lanes, then the tree; a warp of the block has the
/// lanes. A row lies in slots of 16 bytes, of which its first and its last one may belong to its
/// neighbours too. Tiles of slots pass through shared memory: a row that fits in one is read once.
namespace normproof::gpu::norm {

using device::Position;
using device::Span;
using ops::kLanes;
using ops::kTreeSteps;
using Floats = Span<float>;
using ConstFloats = Span<const float>;

/// gamma and beta of a feature; ones and zeros where they are absent.
struct FloatAffine {
  ConstFloats gamma, beta;
  NORMPROOF_DEVICE float gamma_of(std::size_t i) const { return gamma.given() ? gamma[i] : 1.0F; }
  NORMPROOF_DEVICE float beta_of(std::size_t i) const { return beta.given() ? beta[i] : 0.0F; }
};

/// A block's threads, and the slots of a tile of one tensor.
template <int threads, int slots, int blocks>
struct TileShape {
  static constexpr int kThreads = threads;
  static constexpr int kSlots = slots;
  static constexpr int kBlocks = blocks;
};
/// A warp a row for short rows, 256 threads a row for the others. The backward has two tiles in
/// shared memory, so that a wide one is half as long.
using NarrowTile = TileShape<kLanes, 128, 32>;
using WideTile = TileShape<256, 2048, 4>;
using WideBackwardTile = TileShape<256, 1024, 4>;

/// Where a row lies: place p, counted from the beginning of its first slot, is feature p - head.
template <class Format, class Shape>
struct TiledRow {
  using Element = typename Format::Element;
  using Slot = Vector<Element>;
  static constexpr std::size_t kTile = Shape::kSlots * Slot::kSize;

  std::size_t first;  ///< element of the matrix at place 0
  std::size_t head;
  std::size_t end;  ///< place behind the last feature

  NORMPROOF_DEVICE TiledRow(std::size_t row, std::size_t width)
      : first(row * width / Slot::kSize * Slot::kSize),
        head(row * width % Slot::kSize),
        end(row * width % Slot::kSize + width) {}

  /// Tiles that a row of this width may lie in, wherever it begins.
  NORMPROOF_DEVICE static int tiles(std::size_t width) {
    const std::size_t head = width % Slot::kSize == 0 ? 0 : Slot::kSize - 1;
    return static_cast<int>((width + head + kTile - 1) / kTile);
  }

  /// visit(slot in the tile, place, from, to) for each slot of tile t that is this thread's:
  /// elements [from, to) of it are the row's.
  template <class Visit>
  NORMPROOF_DEVICE void for_slots(int t, int thread, const Visit& visit) const {
    for (int slot = thread; slot < Shape::kSlots; slot += Shape::kThreads) {
      const std::size_t place = static_cast<std::size_t>(t) * kTile + slot * Slot::kSize;
      if (place >= end) return;
      visit(slot, place, place < head ? head - place : 0,
            end - place < Slot::kSize ? end - place : Slot::kSize);
    }
  }
  NORMPROOF_DEVICE static bool is_whole(std::size_t from, std::size_t to) {
    return to - from == Slot::kSize;
  }

  NORMPROOF_DEVICE void load(Span<const Element> matrix, int t, int thread, Slot* tile) const {
    for_slots(t, thread, [&](int slot, std::size_t place, std::size_t from, std::size_t to) {
      if (is_whole(from, to))
        tile[slot] = load_vector(matrix, first + place);
      else
        for (std::size_t j = from; j < to; ++j) tile[slot].element[j] = matrix[first + place + j];
    });
  }
  NORMPROOF_DEVICE void store(Span<Element> matrix, std::size_t place, std::size_t from,
                              std::size_t to, const Slot& slot) const {
    if (is_whole(from, to))
      store_vector(matrix, first + place, slot);
    else
      for (std::size_t j = 0; j < Slot::kSize; ++j)  // all, so that the slot stays in registers
        if (from <= j && j < to) matrix[first + place + j] = slot.element[j];
  }

  /// visit(place in the tile) for the features lane, lane + 32, ... of tile t, ascending.
  template <class Visit>
  NORMPROOF_DEVICE void for_lane(int t, int lane, const Visit& visit) const {
    const std::size_t begin = static_cast<std::size_t>(t) * kTile;
    const std::size_t tile_end = begin + kTile < end ? begin + kTile : end;
    const std::size_t from = t == 0 ? head : begin;
    const std::size_t before = (from - head) % kLanes;
    for (std::size_t p = from + (lane + kLanes - before) % kLanes; p < tile_end; p += kLanes)
      visit(p - begin);
  }
  NORMPROOF_DEVICE static float number(const Slot* tile, std::size_t place) {
    return Format::widen(tile[place / Slot::kSize].element[place % Slot::kSize]);
  }
};

/// Step s of the tree over the lanes: strides 16, 8, 4, 2, 1.
NORMPROOF_DEVICE inline void add_lanes(int s, int thread, float (&lane)[kLanes]) {
  const int stride = kLanes >> (s + 1);
  if (thread < stride) lane[thread] += lane[thread + stride];
}

/// A block a row: statistics, then y = gamma x_hat + beta.
template <class Format, bool centred, class Shape>
struct Float32Forward {
  static constexpr int kThreads = Shape::kThreads;
  static constexpr int kBlocks = Shape::kBlocks;
  static constexpr int kTotals = centred ? 2 : 1;
  using Row = TiledRow<Format, Shape>;
  using Element = typename Row::Element;
  struct Shared {
    typename Row::Slot x[Shape::kSlots];
    float lane[kTotals][kLanes];
  };
  struct Thread {
    float sum;
  };

  Span<const Element> x;
  FloatAffine affine;
  float eps;
  std::size_t width;
  Span<Element> y;
  Floats mean, rstd;

  NORMPROOF_DEVICE int steps() const { return kTotals * (2 * tiles() + kTreeSteps) + 2 * tiles(); }
  /// For each total: each tile is loaded, then added; the tree. Then each tile is loaded and
  /// written. The one tile of a short row stays.
  NORMPROOF_DEVICE void step(int s, Position at, Thread& thread, Shared& shared) const {
    const int each = 2 * tiles() + kTreeSteps;
    const int k = s / each, own = s % each;
    const int t = own / 2;
    if (k < kTotals && own >= 2 * tiles()) {
      add_lanes(own - 2 * tiles(), at.thread, shared.lane[k]);
    } else if (own % 2 == 0) {
      if (s == 0 || tiles() > 1) Row(at.block, width).load(x, t, at.thread, shared.x);
    } else if (k < kTotals) {
      if (at.thread < kLanes) add(k, t, at, thread, shared);
    } else {
      write(t, at, shared);
    }
  }

 private:
  NORMPROOF_DEVICE int tiles() const { return Row::tiles(width); }
  NORMPROOF_DEVICE float mean_of(const Shared& shared) const {
    return centred ? shared.lane[0][0] / static_cast<float>(width) : 0.0F;
  }
  NORMPROOF_DEVICE static float shifted(float v, float own_mean) {
    return centred ? v - own_mean : v;
  }

  NORMPROOF_DEVICE void add(int k, int t, Position at, Thread& thread, Shared& shared) const {
    float sum = t == 0 ? 0.0F : thread.sum;
    const Row row(at.block, width);
    if (centred && k == 0) {
      row.for_lane(t, at.thread, [&](std::size_t p) { sum += Row::number(shared.x, p); });
    } else {
      const float own_mean = mean_of(shared);
      row.for_lane(t, at.thread, [&](std::size_t p) {
        const float d = shifted(Row::number(shared.x, p), own_mean);
        sum += d * d;
      });
    }
    thread.sum = sum;
    if (t == tiles() - 1) shared.lane[k][at.thread] = sum;
  }

  NORMPROOF_DEVICE void write(int t, Position at, const Shared& shared) const {
    const float own_mean = mean_of(shared);
    const float own_rstd =
        1.0F / __builtin_sqrtf(shared.lane[kTotals - 1][0] / static_cast<float>(width) + eps);
    if (t == 0 && at.thread == 0) {
      if (centred) mean[at.block] = own_mean;
      rstd[at.block] = own_rstd;
    }
    const Row row(at.block, width);
    row.for_slots(t, at.thread, [&](int slot, std::size_t place, std::size_t from, std::size_t to) {
      typename Row::Slot out;
      for (std::size_t j = 0; j < Row::Slot::kSize; ++j) {
        if (j < from || j >= to) continue;
        const float v = Format::widen(shared.x[slot].element[j]);
        const float x_hat = shifted(v, own_mean) * own_rstd;
        const std::size_t d = place + j - row.head;
        out.element[j] = Format::narrow(affine.gamma_of(d) * x_hat + affine.beta_of(d));
      }
      row.store(y, place, from, to, out);
    });
  }
};

/// A block a row: a = S(g) / D and c = S(g x_hat) / D, g = gamma grad_y, in one go; then
/// grad_x = ((g - a) - x_hat c) rstd, without a where the layer does not centre.
template <class Format, bool centred, class Shape>
struct Float32Backward {
  static constexpr int kThreads = Shape::kThreads;
  static constexpr int kBlocks = Shape::kBlocks;
  using Row = TiledRow<Format, Shape>;
  using Element = typename Row::Element;
  struct Shared {
    typename Row::Slot x[Shape::kSlots];
    typename Row::Slot grad_y[Shape::kSlots];
    float a[kLanes];
    float c[kLanes];
  };
  struct Thread {
    float a, c;
  };

  Span<const Element> grad_y, x;
  FloatAffine affine;
  ConstFloats mean, rstd;
  std::size_t width;
  Span<Element> grad_x;

  NORMPROOF_DEVICE int steps() const { return 4 * tiles() + kTreeSteps; }
  NORMPROOF_DEVICE void step(int s, Position at, Thread& thread, Shared& shared) const {
    const int in_tree = s - 2 * tiles();
    if (0 <= in_tree && in_tree < kTreeSteps) {
      if (centred) add_lanes(in_tree, at.thread, shared.a);
      add_lanes(in_tree, at.thread, shared.c);
      return;
    }
    const bool adds = in_tree < 0;
    const int own = adds ? s : in_tree - kTreeSteps;
    const int t = own / 2;
    const Row row(at.block, width);
    if (own % 2 == 0) {
      if (s != 0 && tiles() == 1) return;
      row.load(x, t, at.thread, shared.x);
      row.load(grad_y, t, at.thread, shared.grad_y);
    } else if (!adds) {
      write(t, at, shared);
    } else if (at.thread < kLanes) {
      add(t, at, thread, shared);
    }
  }

 private:
  NORMPROOF_DEVICE int tiles() const { return Row::tiles(width); }
  NORMPROOF_DEVICE float x_hat(float v, std::size_t row) const {
    return centred ? (v - mean[row]) * rstd[row] : v * rstd[row];
  }

  NORMPROOF_DEVICE void add(int t, Position at, Thread& thread, Shared& shared) const {
    float a = t == 0 ? 0.0F : thread.a;
    float c = t == 0 ? 0.0F : thread.c;
    const Row row(at.block, width);
    row.for_lane(t, at.thread, [&](std::size_t p) {
      const std::size_t d = static_cast<std::size_t>(t) * Row::kTile + p - row.head;
      const float g = affine.gamma_of(d) * Row::number(shared.grad_y, p);
      if (centred) a += g;
      c += g * x_hat(Row::number(shared.x, p), at.block);
    });
    thread = {a, c};
    if (t != tiles() - 1) return;
    if (centred) shared.a[at.thread] = a;
    shared.c[at.thread] = c;
  }

  NORMPROOF_DEVICE void write(int t, Position at, const Shared& shared) const {
    const auto count = static_cast<float>(width);
    const float a = centred ? shared.a[0] / count : 0.0F;
    const float c = shared.c[0] / count;
    const float own_rstd = rstd[at.block];
    const Row row(at.block, width);
    row.for_slots(t, at.thread, [&](int slot, std::size_t place, std::size_t from, std::size_t to) {
      typename Row::Slot out;
      for (std::size_t j = 0; j < Row::Slot::kSize; ++j) {
        if (j < from || j >= to) continue;
        const float g =
            affine.gamma_of(place + j - row.head) * Format::widen(shared.grad_y[slot].element[j]);
        const float along = x_hat(Format::widen(shared.x[slot].element[j]), at.block) * c;
        out.element[j] = Format::narrow((centred ? (g - a) - along : g - along) * own_rstd);
      }
      row.store(grad_x, place, from, to, out);
    });
  }
};

}  // namespace normproof::gpu::norm
