#pragma once

#include "ref/ops/lane_sum.hpp"
#include "ref/ops/view.hpp"

/// Walks over the rows of matrices, for formulas that are given one row at a time. What is a matter
/// of speed alone is here: inputs are asked for before they are needed, and outputs that would only
/// push the inputs out of the caches are stored past them.
namespace normproof::ref::ops {

/// `size` sums over all rows, in parts: row i adds its terms to those of lane i mod 32, or where
/// runs of rows are given to those of lane i / run. sums [lanes, size].
template <class T>
struct LaneTotals {
  T* sums;
  std::size_t lanes;
  std::size_t size;
  std::size_t run = 0;
};

inline namespace NORMPROOF_ISA {

/// The matrices that a formula reads, by their first elements.
template <class T, std::size_t kCount>
struct Inputs {
  const T* p[kCount];
};
template <class T>
Inputs(const T*) -> Inputs<T, 1>;
template <class T>
Inputs(const T*, const T*) -> Inputs<T, 2>;

/// The row that a formula is given, of D elements.
template <class T, std::size_t kInputs>
class Row {
 public:
  Row(std::size_t index, const RowLayout& layout, const Inputs<T, kInputs>& inputs, T* totals)
      : index_(index),
        width_(layout.width),
        past_caches_(past_caches(layout.count * layout.width)),
        totals_(totals) {
    for (std::size_t k = 0; k < kInputs; ++k) inputs_.p[k] = inputs.p[k] + index * width_;
  }

  std::size_t index() const { return index_; }
  View<T> input(std::size_t k) const { return {inputs_.p[k]}; }

  /// The first sum over a row is the one that waits for memory: it asks for every input a page
  /// ahead.
  /// Computes  sum_d term(d), in the order of lane_sum.hpp
  template <class Term>
  [[gnu::always_inline]] T sum(Term term) {
    const bool first = first_;
    first_ = false;
    return contiguous_lane_sum<T>(width_, [term, first, inputs = inputs_](auto d) {
      for (std::size_t k = 0; first && k < kInputs; ++k) prefetch(d, inputs.p[k]);
      return term(d);
    });
  }
  /// Computes  (sum_d term(d)) / D
  template <class Term>
  [[gnu::always_inline]] T mean(Term term) {
    return sum(term) / T(static_cast<double>(width_));
  }

  /// Computes  term(d) for every d, in this row of `matrix`
  template <class Term>
  [[gnu::always_inline]] void write(T* matrix, Term term) const {
    fill(matrix + index_ * width_, width_, past_caches_, term);
  }

  /// The k-th vector of sums over all rows, for what this row adds to them: for_rows_of_lanes.
  SumView<T> total(std::size_t k) const { return {totals_ + k * width_}; }

 private:
  std::size_t index_;
  std::size_t width_;
  bool past_caches_;
  bool first_ = true;
  Inputs<T, kInputs> inputs_;
  T* totals_;
};

/// formula(row, x...) on one row, x... being that row of the inputs.
template <class T, std::size_t kInputs, class Formula>
inline void visit_any(std::size_t index, const RowLayout& layout, const Inputs<T, kInputs>& inputs,
                      T* totals, const Formula& formula) {
  Row<T, kInputs> row(index, layout, inputs, totals);
  if constexpr (kInputs == 1)
    formula(row, row.input(0));
  else
    formula(row, row.input(0), row.input(1));
}

/// The same, for `double` with all that the formula calls inlined: its sums stay in registers.
template <class T, std::size_t kInputs, class Formula>
[[gnu::flatten]] inline void visit_inlined(std::size_t index, const RowLayout& layout,
                                           const Inputs<T, kInputs>& inputs, T* totals,
                                           const Formula& formula) {
  visit_any<T>(index, layout, inputs, totals, formula);
}
template <class T, std::size_t kInputs, class Formula>
inline void visit_row(std::size_t index, const RowLayout& layout, const Inputs<T, kInputs>& inputs,
                      T* totals, const Formula& formula) {
  if constexpr (is_packed<T>)
    visit_inlined<T>(index, layout, inputs, totals, formula);
  else
    visit_any<T>(index, layout, inputs, totals, formula);
}

/// formula(row, x...) on each row of the range.
template <class T, std::size_t kInputs, class Formula>
inline void for_rows(const RowLayout& layout, IndexRange rows, const Inputs<T, kInputs>& inputs,
                     const Formula& formula) {
  for (std::size_t index = rows.begin; index < rows.end; ++index)
    visit_row<T>(index, layout, inputs, nullptr, formula);
  stream_fence();
}

/// formula(row, x...) on each row of the range of lanes: lane l has the rows l, l+32, l+64, ..., or
/// the l-th run of rows that follow each other. The sums of these lanes begin at 0.
template <class T, std::size_t kInputs, class Formula>
inline void for_rows_of_lanes(const RowLayout& layout, IndexRange lanes,
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

/// The sums over all rows for a range of [0, totals.size), left in lane 0.
template <class T>
inline void compute(const LaneTotals<T>& totals, IndexRange range) {
  add_lanes(totals.sums, totals.lanes, totals.size, range.begin, range.end);
}

}  // namespace NORMPROOF_ISA
}  // namespace normproof::ref::ops
