#pragma once

#include "gpu/norm/number_formats.hpp"
#include "gpu/ops/lane_kernels.hpp"

/// Locates the rows of a matrix of float32, bfloat16 or float16. Memory is divided into slots of 16
/// bytes, and slots into tiles. The first and the last slot of a row may also contain elements of
/// its neighbors.
namespace normproof::gpu::norm {

using device::Span;

/// Calls f(0), f(1), ... f(count - 1), unrolled, so that arrays indexed by the argument stay in
/// registers.
template <int count, int from = 0, class F>
NORMPROOF_DEVICE void unroll(const F& f) {
  if constexpr (from < count) {
    f(from);
    unroll<count, from + 1>(f);
  }
}

/// The threads of a block, and the slots per tile of one tensor.
template <int threads, int slots, int blocks>
struct TileShape {
  static constexpr int kThreads = threads;
  static constexpr int kSlots = slots;
  static constexpr int kBlocks = blocks;
};
/// One warp per row, for short rows.
using NarrowTile = TileShape<ops::kLanes, 128, 32>;
/// 256 threads per row. The tiles of all tensors together take 32 KiB of shared memory.
template <int tensors>
using WideTile = TileShape<256, 2048 / tensors, 4>;

/// Position p of a row, counted from the start of its first slot, is feature p - head. Tile t holds
/// the same features in every row, wherever the row begins.
template <class Format, class Shape>
struct TiledRow {
  using Element = typename Format::Element;
  using Slot = Vector<Element>;
  static constexpr std::size_t kTile = Shape::kSlots * Slot::kSize;
  static constexpr int kThreads = Shape::kThreads;
  /// The number of slots of a tile per thread.
  static constexpr int kSlotsEach = Shape::kSlots / Shape::kThreads;

  std::size_t first;  ///< index in the matrix of position 0
  std::size_t head;
  std::size_t width;

  NORMPROOF_DEVICE TiledRow(std::size_t row, std::size_t of_width)
      : first(row * of_width / Slot::kSize * Slot::kSize),
        head(row * of_width % Slot::kSize),
        width(of_width) {}

  /// Whether all rows of this width begin at the start of a slot.
  NORMPROOF_DEVICE static bool is_whole(std::size_t width) { return width % Slot::kSize == 0; }
  /// The number of features in a tile. If rows may begin within a slot, it is one slot less than
  /// the tile holds.
  NORMPROOF_DEVICE static std::size_t features_per_tile(std::size_t width) {
    return is_whole(width) ? kTile : kTile - Slot::kSize;
  }
  NORMPROOF_DEVICE static int tiles(std::size_t width) {
    const std::size_t each = features_per_tile(width);
    return static_cast<int>((width + each - 1) / each);
  }

  /// Calls visit(slot in the tile, position, from, to) for each of this thread's slots of tile t.
  /// The elements [from, to) of the slot are features of the tile.
  template <class Visit>
  NORMPROOF_DEVICE void for_slots(int t, int thread, const Visit& visit) const {
    for (int slot = thread; slot < Shape::kSlots; slot += Shape::kThreads) {
      if (slot * Slot::kSize >= head + features_in(t)) return;
      visit_slot(t, slot, visit);
    }
  }
  /// Like for_slots, but calls visit(k, slot, position, from, to), where k counts the thread's
  /// slots.
  template <class Visit>
  NORMPROOF_DEVICE void for_numbered_slots(int t, int thread, const Visit& visit) const {
    unroll<kSlotsEach>([&](int k) {
      const int slot = thread + k * kThreads;
      if (slot * Slot::kSize < head + features_in(t))
        visit_slot(t, slot, [&](auto... at) { visit(k, at...); });
    });
  }

  /// Calls visit(k, position in the tile, feature, count) for each of this thread's groups of
  /// features of tile t, where k counts the groups. A group is as large as a slot and contains the
  /// same features in every row.
  template <class Visit>
  NORMPROOF_DEVICE void for_groups(int t, int thread, const Visit& visit) const {
    const std::size_t in_tile = features_in(t);
    unroll<kSlotsEach>([&](int k) {
      const std::size_t f = (thread + k * kThreads) * Slot::kSize;
      if (f < in_tile)
        visit(k, head + f, first_feature(t) + f,
              in_tile - f < Slot::kSize ? in_tile - f : Slot::kSize);
    });
  }

  /// Loads the elements [from, to) of the slot at a position. The other elements are not read.
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

  /// Calls visit(position in the tile, feature) for the features lane, lane + 32, ... of tile t, in
  /// ascending order.
  template <class Visit>
  NORMPROOF_DEVICE void for_lane(int t, int lane, const Visit& visit) const {
    const std::size_t begin = first_feature(t);
    const std::size_t tile_end = begin + features_in(t);
    for (std::size_t d = begin + (lane + ops::kLanes - begin % ops::kLanes) % ops::kLanes;
         d < tile_end; d += ops::kLanes)
      visit(head + d - begin, d);
  }

 private:
  template <class Visit>
  NORMPROOF_DEVICE void visit_slot(int t, int slot, const Visit& visit) const {
    const std::size_t p = slot * Slot::kSize, tile_end = head + features_in(t);
    visit(slot, first_feature(t) + p, p < head ? head - p : 0,
          tile_end - p < Slot::kSize ? tile_end - p : Slot::kSize);
  }
  /// Returns the first feature of tile t, which is also the position of its first slot.
  NORMPROOF_DEVICE std::size_t first_feature(int t) const {
    return static_cast<std::size_t>(t) * features_per_tile(width);
  }
  NORMPROOF_DEVICE std::size_t features_in(int t) const {
    const std::size_t each = features_per_tile(width), left = width - first_feature(t);
    return left < each ? left : each;
  }
};

}  // namespace normproof::gpu::norm
