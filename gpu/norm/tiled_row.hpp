#pragma once

#include "gpu/norm/number_formats.hpp"
#include "gpu/ops/lane_kernels.hpp"

/// Where the rows of a matrix of float32, bfloat16 or float16 lie: in slots of 16 bytes, of which a
/// row's first and last one may belong to its neighbours too, and in tiles of slots.
namespace normproof::gpu::norm {

using device::Span;

/// f(0), f(1), ... f(count - 1), written out, so that arrays indexed by it stay in registers.
template <int count, int from = 0, class F>
NORMPROOF_DEVICE void written_out(const F& f) {
  if constexpr (from < count) {
    f(from);
    written_out<count, from + 1>(f);
  }
}

/// A block's threads, and the slots of a tile of one tensor.
template <int threads, int slots, int blocks>
struct TileShape {
  static constexpr int kThreads = threads;
  static constexpr int kSlots = slots;
  static constexpr int kBlocks = blocks;
};
/// A warp a row, for short ones.
using NarrowTile = TileShape<ops::kLanes, 128, 32>;
/// 256 threads, whose tiles of so many tensors have 32 KiB of shared memory together.
template <int tensors>
using WideTile = TileShape<256, 2048 / tensors, 4>;

/// Place p of a row, counted from the beginning of its first slot, is feature p - head. Tile t has
/// the same features of every row, wherever the rows begin.
template <class Format, class Shape>
struct TiledRow {
  using Element = typename Format::Element;
  using Slot = Vector<Element>;
  static constexpr std::size_t kTile = Shape::kSlots * Slot::kSize;
  static constexpr int kThreads = Shape::kThreads;
  /// Slots of a tile that a thread has.
  static constexpr int kSlotsEach = Shape::kSlots / Shape::kThreads;

  std::size_t first;  ///< element of the matrix at place 0
  std::size_t head;
  std::size_t width;

  NORMPROOF_DEVICE TiledRow(std::size_t row, std::size_t of_width)
      : first(row * of_width / Slot::kSize * Slot::kSize),
        head(row * of_width % Slot::kSize),
        width(of_width) {}

  /// Whether all rows of this width begin with a slot.
  NORMPROOF_DEVICE static bool is_whole(std::size_t width) { return width % Slot::kSize == 0; }
  /// Features of a tile: where rows begin within a slot, one slot fewer than it holds.
  NORMPROOF_DEVICE static std::size_t features_of_a_tile(std::size_t width) {
    return is_whole(width) ? kTile : kTile - Slot::kSize;
  }
  NORMPROOF_DEVICE static int tiles(std::size_t width) {
    const std::size_t each = features_of_a_tile(width);
    return static_cast<int>((width + each - 1) / each);
  }

  /// visit(slot in the tile, place, from, to) for each slot of tile t that is this thread's:
  /// elements [from, to) of it are features of the tile.
  template <class Visit>
  NORMPROOF_DEVICE void for_slots(int t, int thread, const Visit& visit) const {
    for (int slot = thread; slot < Shape::kSlots; slot += Shape::kThreads) {
      if (slot * Slot::kSize >= head + features_in(t)) return;
      visit_slot(t, slot, visit);
    }
  }
  /// visit(k, slot, place, from, to): the same, for the k-th of this thread.
  template <class Visit>
  NORMPROOF_DEVICE void for_numbered_slots(int t, int thread, const Visit& visit) const {
    written_out<kSlotsEach>([&](int k) {
      const int slot = thread + k * kThreads;
      if (slot * Slot::kSize < head + features_in(t))
        visit_slot(t, slot, [&](auto... at) { visit(k, at...); });
    });
  }

  /// visit(k, place in the tile, feature, count) for each group of features of tile t that is this
  /// thread's, its k-th: as many as a slot has, the same ones in every row.
  template <class Visit>
  NORMPROOF_DEVICE void for_groups(int t, int thread, const Visit& visit) const {
    const std::size_t in_tile = features_in(t);
    written_out<kSlotsEach>([&](int k) {
      const std::size_t f = (thread + k * kThreads) * Slot::kSize;
      if (f < in_tile)
        visit(k, head + f, begin_of(t) + f, in_tile - f < Slot::kSize ? in_tile - f : Slot::kSize);
    });
  }

  /// Elements [from, to) of the slot at a place; the others are not read.
  NORMPROOF_DEVICE Slot load(Span<const Element> matrix, std::size_t place, std::size_t from,
                             std::size_t to) const {
    if (to - from == Slot::kSize) return load_vector(matrix, first + place);
    Slot slot{};
    for (std::size_t j = 0; j < Slot::kSize; ++j)  // all, so that the slot stays in registers
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

  /// visit(place in the tile, feature) for the features lane, lane + 32, ... of tile t, ascending.
  template <class Visit>
  NORMPROOF_DEVICE void for_lane(int t, int lane, const Visit& visit) const {
    const std::size_t begin = begin_of(t);
    const std::size_t tile_end = begin + features_in(t);
    for (std::size_t d = begin + (lane + ops::kLanes - begin % ops::kLanes) % ops::kLanes;
         d < tile_end; d += ops::kLanes)
      visit(head + d - begin, d);
  }

 private:
  template <class Visit>
  NORMPROOF_DEVICE void visit_slot(int t, int slot, const Visit& visit) const {
    const std::size_t p = slot * Slot::kSize, tile_end = head + features_in(t);
    visit(slot, begin_of(t) + p, p < head ? head - p : 0,
          tile_end - p < Slot::kSize ? tile_end - p : Slot::kSize);
  }
  /// The first feature of tile t, and the place of its first slot.
  NORMPROOF_DEVICE std::size_t begin_of(int t) const {
    return static_cast<std::size_t>(t) * features_of_a_tile(width);
  }
  NORMPROOF_DEVICE std::size_t features_in(int t) const {
    const std::size_t each = features_of_a_tile(width), left = width - begin_of(t);
    return left < each ? left : each;
  }
};

}  // namespace normproof::gpu::norm
