#pragma once

#include "ref/ops/lane_sum.hpp"
#include "ref/ops/view.hpp"

/// Loops over the rows of matrices. They call a formula with one row at a time. Optimizations that
/// affect only the speed are in this file: inputs are prefetched, and outputs that would evict the
/// inputs from the caches are written by non-temporal stores.
namespace normproof::ref::ops {

/// Partial sums over all rows, for `size` sums at once; `sums` is an array [lanes, size]. Row i
/// adds its terms to lane i mod 32. If `run` is not 0, row i adds its terms to lane i / run
/// instead.
template <class T>
struct LaneTotals {
  T* sums;
  std::size_t lanes;
  std::size_t size;
  std::size_t run = 0;
};

inline namespace NORMPROOF_ISA {

/// Pointers to the first elements of the matrices that a formula reads.
template <class T, std::size_t kCount>
struct Inputs {
  const T* p[kCount];
};
template <class T>
Inputs(const T*) -> Inputs<T, 1>;
template <class T>
Inputs(const T*, const T*) -> Inputs<T, 2>;

/// One row of each input matrix. Each row has D elements. A formula receives an object of this
/// class.
template <class T, std::size_t kInputs>
class Row {
 public:
  Row(std::size_t index, const RowLayout& layout, const Inputs<T, kInputs>& inputs, T* totals)
      : index_(index),
        width_(layout.width),
        use_streaming_stores_(use_streaming_stores(layout.count * layout.width)),
        totals_(totals) {
    for (std::size_t k = 0; k < kInputs; ++k) inputs_.p[k] = inputs.p[k] + index * width_;
  }

  std::size_t index() const { return index_; }
  View<T> input(std::size_t k) const { return {inputs_.p[k]}; }

  /// Returns sum_d term(d) in the order of lane_sum.hpp. The first sum over a row is limited by
  /// memory, so it prefetches every input one page ahead.
  template <class Term>
  [[gnu::always_inline]] T sum(Term term) {
    const bool first = first_;
    first_ = false;
    return contiguous_lane_sum<T>(width_, [term, first, inputs = inputs_](auto d) {
      for (std::size_t k = 0; first && k < kInputs; ++k) prefetch(d, inputs.p[k]);
      return term(d);
    });
  }
  /// Returns the mean (sum_d term(d)) / D.
  template <class Term>
  [[gnu::always_inline]] T mean(Term term) {
    return sum(term) / T(static_cast<double>(width_));
  }

  /// Writes term(d) to element d of this row of `matrix`, for every d.
  template <class Term>
  [[gnu::always_inline]] void write(T* matrix, Term term) const {
    fill(matrix + index_ * width_, width_, use_streaming_stores_, term);
  }

  /// Returns the k-th vector of sums over all rows. A formula adds the terms of this row to it (see
  /// for_each_row_of_lanes).
  SumView<T> total(std::size_t k) const { return {totals_ + k * width_}; }

 private:
  std::size_t index_;
  std::size_t width_;
  bool use_streaming_stores_;
  bool first_ = true;
  Inputs<T, kInputs> inputs_;
  T* totals_;
};

/// Calls formula(row, x...) for row number `index`. x... are views of this row, one per input
/// matrix.
template <class T, std::size_t kInputs, class Formula>
inline void visit_row_generically(std::size_t index, const RowLayout& layout,
                                  const Inputs<T, kInputs>& inputs, T* totals,
                                  const Formula& formula) {
  Row<T, kInputs> row(index, layout, inputs, totals);
  if constexpr (kInputs == 1)
    formula(row, row.input(0));
  else
    formula(row, row.input(0), row.input(1));
}

/// Calls formula(row, x...) for one row of `double`. All calls in the formula are inlined, so its
/// sums stay in registers.
template <class T, std::size_t kInputs, class Formula>
[[gnu::flatten]] inline void visit_inlined(std::size_t index, const RowLayout& layout,
                                           const Inputs<T, kInputs>& inputs, T* totals,
                                           const Formula& formula) {
  visit_row_generically<T>(index, layout, inputs, totals, formula);
}
template <class T, std::size_t kInputs, class Formula>
inline void visit_row(std::size_t index, const RowLayout& layout, const Inputs<T, kInputs>& inputs,
                      T* totals, const Formula& formula) {
  if constexpr (is_packed<T>)
    visit_inlined<T>(index, layout, inputs, totals, formula);
  else
    visit_row_generically<T>(index, layout, inputs, totals, formula);
}

/// Calls formula(row, x...) for each row of the range `rows`.
template <class T, std::size_t kInputs, class Formula>
inline void for_each_row(const RowLayout& layout, IndexRange rows, const Inputs<T, kInputs>& inputs,
                         const Formula& formula) {
  for (std::size_t index = rows.begin; index < rows.end; ++index)
    visit_row<T>(index, layout, inputs, nullptr, formula);
  stream_fence();
}

/// Calls formula(row, x...) for each row that belongs to the lanes in the range `lanes`. Lane l has
/// the rows l, l+32, l+64, ..., or the l-th run of consecutive rows if totals.run is not 0. The
/// sums of these lanes are set to 0 first.
template <class T, std::size_t kInputs, class Formula>
inline void for_each_row_of_lanes(const RowLayout& layout, IndexRange lanes,
                                  const Inputs<T, kInputs>& inputs, const LaneTotals<T>& totals,
                                  const Formula& formula) {
  for (std::size_t i = lanes.begin * totals.size; i < lanes.end * totals.size; ++i)
    totals.sums[i] = T(0);
  const std::size_t between_lanes = totals.run == 0 ? 1 : totals.run;
  const std::size_t between_rows = totals.run == 0 ? kLanes : 1;
  const std::size_t end = totals.run == 0 ? layout.count : totals.run;
  for (std::size_t first = 0; first < end; first += between_rows)
    for (std::size_t lane = lanes.begin; lane < lanes.end; ++lane) {
      const std::size_t index = first + lane * between_lanes;
      if (index >= layout.count) break;
      visit_row<T>(index, layout, inputs, totals.sums + lane * totals.size, formula);
    }
  stream_fence();
}

/// Adds up the lanes, for the sums with indices in `range`, which is part of [0, totals.size). The
/// results end in lane 0.
template <class T>
inline void compute(const LaneTotals<T>& totals, IndexRange range) {
  add_lanes(totals.sums, totals.lanes, totals.size, range.begin, range.end);
}

}  // namespace NORMPROOF_ISA
}  // namespace normproof::ref::ops
