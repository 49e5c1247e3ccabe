#pragma once

#include "ref/ops/pack.hpp"

namespace normproof::ref::ops {
inline namespace NORMPROOF_ISA {

/// The number of partial sums (lanes) into which every sum over an axis is split
/// (docs/specification/determinism.md, rule R2). Lane l adds the elements l, l+32, l+64, ... in
/// ascending order, starting from +0. Then lane l adds lane l+stride, for the strides 16, 8, 4, 2,
/// 1. A lane without elements is +0 and is skipped, because adding it changes nothing.
inline constexpr std::size_t kLanes = 32;

/// A buffer for kernels. Kernels do not use standard containers, because the code of a container
/// must not be compiled for an instruction set that the rest of the program does not assume.
template <class T>
class Scratch {
 public:
  explicit Scratch(std::size_t size) : data_(new T[size]) {}
  ~Scratch() { delete[] data_; }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  T* get() { return data_; }
  T& operator[](std::size_t i) { return data_[i]; }

 private:
  T* data_;
};

/// Adds up the lanes (partial sums) as a tree, in the order of rule R2 of
/// docs/specification/determinism.md. `lane` is an array [count, size]; of each lane, only the
/// elements [begin, end) are added. Lanes from `count` on have no elements. The sums end in lane 0.
template <class T>
inline void add_lanes(T* lane, std::size_t count, std::size_t size, std::size_t begin,
                      std::size_t end) {
  for (std::size_t stride = kLanes / 2; stride > 0; stride /= 2) {
    for (std::size_t l = 0; l < stride && l + stride < count; ++l) {
      const T* right = lane + (l + stride) * size + begin;
      accumulate(lane + l * size + begin, end - begin, [right](auto at) { return at(right); });
    }
  }
}

/// Returns sum_i term(i) for i = 0 .. count-1 in the order of rule R2. It returns 0 for count = 0.
/// Error     |s_hat - s| <= (ceil(count/32) + 4) u sum_i |term(i)| (1 + O(u)), where s_hat is the
///           result and s the exact sum; docs/error_analysis.md
template <class T, class Term>
inline T lane_sum(std::size_t count, Term&& term) {
  T lane[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (std::size_t l = 0; l < kLanes; ++l) lane[l] += term(i + l);
  for (std::size_t l = 0; i + l < count; ++l) lane[l] += term(i + l);
  for (std::size_t stride = kLanes / 2; stride > 0; stride /= 2)
    for (std::size_t l = 0; l < stride && l + stride < count; ++l) lane[l] += lane[l + stride];
  return lane[0];
}

/// Returns the lane_sum of a term. The term is a function whose parameter is a position, an At or a
/// PackPosition (ref/numeric/pack.hpp). For `double` the lanes stay in registers.
template <class T, class Term>
inline T contiguous_lane_sum(std::size_t count, Term&& term) {
  if constexpr (is_packed<T>) {
    constexpr std::size_t kPacks = kLanes / kPackWidth;
    Pack sum[kPacks] = {};
    std::size_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
#pragma GCC unroll 16
      for (std::size_t k = 0; k < kPacks; ++k) sum[k] += term(PackPosition{i + k * kPackWidth});
    }
    T lane[kLanes];
#pragma GCC unroll 16
    for (std::size_t k = 0; k < kPacks; ++k) store(lane + k * kPackWidth, sum[k]);
    for (std::size_t l = 0; i + l < count; ++l) lane[l] += term(At{i + l});
      // A lane without elements is +0, and no lane is -0. So adding such a lane changes nothing.
#pragma GCC unroll 8
    for (std::size_t stride = kLanes / 2; stride >= kPackWidth; stride /= 2)
      accumulate(lane, stride, [&lane, stride](auto at) { return at(&lane[0] + stride); });
#pragma GCC unroll 4
    for (std::size_t stride = kPackWidth / 2; stride > 0; stride /= 2)
      for (std::size_t l = 0; l < stride; ++l) lane[l] += lane[l + stride];
    return lane[0];
  } else {
    return lane_sum<T>(count, [&term](std::size_t i) { return T(term(At{i})); });
  }
}

/// Computes sums along columns. Element i of `out` [size] is sum_r term(r, i) for r = 0 .. count-1,
/// in the order of lane_sum. The function add(sum, r...) adds the terms of one row r, or of four
/// rows in ascending order, to sum [size].
///
/// The tree of lanes is traversed depth first, in the order of lanes 0, 16, 8, 24, ..., so only six
/// accumulators exist at once. Four rows of a lane are read together, so the accumulator is read
/// and written once for all four.
template <class T, class Add>
class ColumnSum {
 public:
  ColumnSum(std::size_t count, std::size_t size, Add add)
      : count_(count), size_(size), add_(add), scratch_(5 * size) {}

  void operator()(T* out) { sum(0, 1, out, 0); }

 private:
  void sum(std::size_t lane, std::size_t stride, T* out, std::size_t depth) {
    if (stride == kLanes) {
      for (std::size_t i = 0; i < size_; ++i) out[i] = T(0);
      std::size_t r = lane;
      for (; r + 3 * kLanes < count_; r += 4 * kLanes)
        add_(out, r, r + kLanes, r + 2 * kLanes, r + 3 * kLanes);
      for (; r < count_; r += kLanes) add_(out, r);
      return;
    }
    sum(lane, 2 * stride, out, depth + 1);
    if (lane + stride >= count_) return;
    T* right = scratch_.get() + depth * size_;
    sum(lane + stride, 2 * stride, right, depth + 1);
    accumulate(out, size_, [right](auto at) { return at(right); });
  }

  std::size_t count_;
  std::size_t size_;
  Add add_;
  Scratch<T> scratch_;
};

template <class T, class Add>
inline void column_sum(std::size_t count, std::size_t size, T* out, Add add) {
  ColumnSum<T, Add>(count, size, add)(out);
}

}  // namespace NORMPROOF_ISA
}  // namespace normproof::ref::ops
