#pragma once

#include "ref/ops/lane_sum.hpp"
#include "ref/ops/view.hpp"

/// Sums along the columns of matrices. The caller gives the term of one element at a time.
namespace normproof::ref::ops {

inline namespace NORMPROOF_ISA {

/// A range of adjacent columns. Its functions sum terms down each of these columns, over a list of
/// rows, in the order of lane_sum.hpp.
template <class T>
class Columns {
 public:
  Columns(const RowLayout& layout, IndexRange columns)
      : begin_(columns.begin), width_(columns.end - columns.begin), stride_(layout.width) {}

  /// Returns a view of these columns of a matrix.
  ColumnView<T> of(const T* matrix) const { return {matrix + begin_, stride_}; }
  /// Returns a view of the elements of a vector that belong to these columns. The vector has one
  /// number per column of the matrix.
  View<T> each(const T* vector) const { return {vector + begin_}; }

  /// For each column d, sets sum[d] to the sum of term(id) over the rows i in `rows`, where id is
  /// the MatrixPosition with row i and column d.
  template <class Term>
  void sum(const RowList& rows, T* sum, Term term) const {
    add_terms_of_rows<1>(rows, width_, sum + begin_, term);
  }
  /// For each column d, sets mean[d] to the mean of term(id) over the rows i in `rows`, where id is
  /// the MatrixPosition with row i and column d.
  template <class Term>
  void mean(const RowList& rows, T* mean, Term term) const {
    sum(rows, mean, term);
    divide(mean, rows.count);
  }

  /// Computes two sums per column in one pass. terms(id) returns TwoTerms{first, second} for the
  /// element at `id`, which is a MatrixPosition.
  template <class Terms>
  void sums(const RowList& rows, T* first, T* second, Terms terms) const {
    Scratch<T> both(2 * width_);
    add_terms_of_rows<2>(rows, 2 * width_, both.get(), terms);
    for (std::size_t d = 0; d < width_; ++d) {
      first[begin_ + d] = both[d];
      second[begin_ + d] = both[width_ + d];
    }
  }
  /// Computes two means per column in one pass. terms(id) returns TwoTerms{first, second} for the
  /// element at `id`, which is a MatrixPosition.
  template <class Terms>
  void means(const RowList& rows, T* first, T* second, Terms terms) const {
    sums(rows, first, second, terms);
    divide(first, rows.count);
    divide(second, rows.count);
  }

 private:
  template <std::size_t kSums, class Terms>
  void add_terms_of_rows(const RowList& rows, std::size_t size, T* out, const Terms& terms) const {
    const auto terms_of_row = [rows, terms](std::size_t r) {
      return [row = rows.listed == nullptr ? r : rows.listed[r], terms](auto column) {
        return terms(MatrixPosition<decltype(column)>{row, column});
      };
    };
    column_sum<T>(rows.count, size, out, [terms_of_row, width = width_](T* sum, auto... r) {
      accumulate_rows<kSums>(sum, width, terms_of_row(r)...);
    });
  }

  void divide(T* sum, std::size_t count) const {
    const T n(static_cast<double>(count));
    for (std::size_t d = begin_; d < begin_ + width_; ++d) sum[d] /= n;
  }

  std::size_t begin_;
  std::size_t width_;
  std::size_t stride_;
};

}  // namespace NORMPROOF_ISA
}  // namespace normproof::ref::ops
