#pragma once

#include "gpu/norm/number_formats.hpp"
#include "gpu/ops/lane_kernels.hpp"

/// Locates the rows of a matrix of float32, bfloat16 or float16 numbers in memory. Memory is
/// divided into slots of 16 bytes, and a row is divided into tiles of slots. The first and the last
/// slot of a row may also contain elements of the neighboring rows.
namespace normproof::gpu::norm {

using device::Span;

/// Calls f(0), f(1), ... f(count - 1) without a loop, so that arrays indexed by the argument stay
/// in registers.
template <int count, int from = 0, class F>
NORMPROOF_DEVICE void unroll(const F& f) {
  if constexpr (from < count) {
    f(from);
    unroll<count, from + 1>(f);
  }
}

/// The shape of a block and of its tile: the number of threads, the number of slots that a tile has
/// for each tensor, and the minimum number of resident blocks per SM.
template <int threads, int slots, int blocks>
struct TileShape {
  static constexpr int kThreads = threads;
  static constexpr int kSlots = slots;
  static constexpr int kBlocks = blocks;
};
/// The tile for short rows: one warp per row.
using NarrowTile = TileShape<ops::kLanes, 128, 32>;
/// The tile for long rows: 256 threads per row. The tiles of all tensors together take 32 KiB of
/// shared memory.
template <int tensors>
using WideTile = TileShape<256, 2048 / tensors, 4>;

/// A row of a matrix. A position counts elements from the start of the row's first slot. In this
/// slot, `head` elements precede the row, so that position p is feature p - head. Tile t contains
/// the same features in every row, even if the rows begin at different places within a slot.
template <class Format, class Shape>
struct TiledRow {
  using Element = typename Format::Element;
  using Slot = Vector<Element>;
  static constexpr std::size_t kTile = Shape::kSlots * Slot::kSize;
  static constexpr int kThreads = Shape::kThreads;
  /// The number of slots of a tile that each thread processes.
  static constexpr int kSlotsPerThread = Shape::kSlots / Shape::kThreads;

  std::size_t first;  ///< the index of position 0 in the matrix
  std::size_t head;
  std::size_t width;

  NORMPROOF_DEVICE TiledRow(std::size_t row, std::size_t of_width)
      : first(row * of_width / Slot::kSize * Slot::kSize),
        head(row * of_width % Slot::kSize),
        width(of_width) {}

  /// Whether every row of this width begins at the start of a slot.
  NORMPROOF_DEVICE static bool are_rows_aligned_to_slots(std::size_t width) {
    return width % Slot::kSize == 0;
  }
  /// Returns the number of features in a tile. This is the number of elements of all slots of the
  /// tile, less the elements of one slot if a row may begin within a slot.
  NORMPROOF_DEVICE static std::size_t features_per_tile(std::size_t width) {
    return are_rows_aligned_to_slots(width) ? kTile : kTile - Slot::kSize;
  }
  NORMPROOF_DEVICE static int tiles(std::size_t width) {
    const std::size_t each = features_per_tile(width);
    return static_cast<int>((width + each - 1) / each);
  }

  /// Calls visit(slot, position, from, to) for each slot of tile t that this thread processes.
  /// `slot` is the index in the tile. The slot's elements [from, to) are features of the tile.
  template <class Visit>
  NORMPROOF_DEVICE void for_each_slot(int t, int thread, const Visit& visit) const {
    for (int slot = thread; slot < Shape::kSlots; slot += Shape::kThreads) {
      if (slot * Slot::kSize >= head + features_in_tile(t)) return;
      visit_slot(t, slot, visit);
    }
  }
  /// Like for_each_slot, but calls visit(k, slot, position, from, to); k = 0, 1, ... numbers the
  /// thread's slots.
  template <class Visit>
  NORMPROOF_DEVICE void for_each_numbered_slot(int t, int thread, const Visit& visit) const {
    unroll<kSlotsPerThread>([&](int k) {
      const int slot = thread + k * kThreads;
      if (slot * Slot::kSize < head + features_in_tile(t))
        visit_slot(t, slot, [&](auto... at) { visit(k, at...); });
    });
  }

  /// Calls visit(k, position, feature, count) for each group of features of tile t that this thread
  /// processes. k = 0, 1, ... numbers the groups; `position` is the index in the tile. A group has
  /// the size of a slot and contains the same features in every row.
  template <class Visit>
  NORMPROOF_DEVICE void for_each_feature_group(int t, int thread, const Visit& visit) const {
    const std::size_t in_tile = features_in_tile(t);
    unroll<kSlotsPerThread>([&](int k) {
      const std::size_t f = (thread + k * kThreads) * Slot::kSize;
      if (f < in_tile)
        visit(k, head + f, first_feature(t) + f,
              in_tile - f < Slot::kSize ? in_tile - f : Slot::kSize);
    });
  }

  /// Loads the elements [from, to) of the slot at position `place`. The other elements are not
  /// read.
  NORMPROOF_DEVICE Slot load(Span<const Element> matrix, std::size_t place, std::size_t from,
                             std::size_t to) const {
    if (to - from == Slot::kSize) return load_vector(matrix, first + place);
    Slot slot{};
    for (std::size_t j = 0; j < Slot::kSize; ++j)  // all j, so that the slot stays in registers
      if (from <= j && j < to) slot.element[j] = matrix[first + place + j];
    return slot;
  }
  NORMPROOF_DEVICE void store(Span<Element> matrix, std::size_t place, std::size_t from,
                              std::size_t to, const Slot& slot) const {
    if (to - from == Slot::kSize)
      store_vector(matrix, first + place, slot);
    else
      for (std::size_t j = 0; j < Slot::kSize; ++j)
        if (from <= j && j < to) matrix[first + place + j] = slot.element[j];
  }

  /// Calls visit(position, feature) for the features `lane`, `lane + 32`, ... of tile t, in
  /// ascending order. `position` is the index in the tile.
  template <class Visit>
  NORMPROOF_DEVICE void for_each_feature_of_lane(int t, int lane, const Visit& visit) const {
    const std::size_t begin = first_feature(t);
    const std::size_t tile_end = begin + features_in_tile(t);
    for (std::size_t d = begin + (lane + ops::kLanes - begin % ops::kLanes) % ops::kLanes;
         d < tile_end; d += ops::kLanes)
      visit(head + d - begin, d);
  }

 private:
  template <class Visit>
  NORMPROOF_DEVICE void visit_slot(int t, int slot, const Visit& visit) const {
    const std::size_t p = slot * Slot::kSize, tile_end = head + features_in_tile(t);
    visit(slot, first_feature(t) + p, p < head ? head - p : 0,
          tile_end - p < Slot::kSize ? tile_end - p : Slot::kSize);
  }
  /// Returns the first feature of tile t. It is also the position of the tile's first slot.
  NORMPROOF_DEVICE std::size_t first_feature(int t) const {
    return static_cast<std::size_t>(t) * features_per_tile(width);
  }
  NORMPROOF_DEVICE std::size_t features_in_tile(int t) const {
    const std::size_t each = features_per_tile(width), left = width - first_feature(t);
    return left < each ? left : each;
  }
};

}  // namespace normproof::gpu::norm
