#pragma once

#include "gpu/norm/number_formats.hpp"
#include "gpu/ops/lane_kernels.hpp"

/// Where the rows of a matrix of float32, bfloat16 or float16 lie: in slots of 16 bytes, of which a
/// row's first and last one may belong to its neighbours too, and in tiles of slots.
namespace normproof::gpu::norm {

using device::Span;

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

/// Place p of a row, counted from the beginning of its first slot, is feature p - head.
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
    const std::size_t begin = static_cast<std::size_t>(t) * kTile;
    const std::size_t tile_end = begin + kTile < end ? begin + kTile : end;
    const std::size_t from = t == 0 ? head : begin;
    const std::size_t before = (from - head) % ops::kLanes;
    for (std::size_t p = from + (lane + ops::kLanes - before) % ops::kLanes; p < tile_end;
         p += ops::kLanes)
      visit(p - begin, p - head);
  }
};

}  // namespace normproof::gpu::norm
