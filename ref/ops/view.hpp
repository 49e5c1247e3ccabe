#pragma once

#include "ref/ops/pack.hpp"

/// Views whose indices look like the indices in the formulas: x_d of the specification is x[d] in
/// the source. An index is a position among contiguous elements or a MatrixPosition. A position
/// among contiguous elements is an At (one element) or a PackPosition (the elements that fit a
/// register). A term is a function that returns the value at an index. It captures views by value,
/// so that the compiler knows that nothing else changes them.
namespace normproof::ref::ops {

/// The layout of a matrix with contiguous rows of `width` elements.
struct RowLayout {
  std::size_t count;
  std::size_t width;
};

/// A list of row indices in ascending order. If `listed` is null, the list is 0 .. count-1.
struct RowList {
  const std::size_t* listed;
  std::size_t count;
};

/// The indices [begin, end).
struct IndexRange {
  std::size_t begin;
  std::size_t end;
};

inline namespace NORMPROOF_ISA {

/// The position of an element of a matrix: its row and its column.
template <class Place>
struct MatrixPosition {
  std::size_t row;
  Place column;
};

/// A read-only view of a vector. A position with index d selects element d, and so does a
/// MatrixPosition in column d.
template <class T>
struct View {
  const T* p;

  template <class Place>
  decltype(auto) operator[](Place d) const {
    return d(p);
  }
  template <class Place>
  decltype(auto) operator[](MatrixPosition<Place> id) const {
    return id.column(p);
  }
};

/// A read-only view of adjacent columns of a matrix. Consecutive rows are `stride` elements apart,
/// and `p` points to the first of the columns in row 0.
template <class T>
struct ColumnView {
  const T* p;
  std::size_t stride;

  template <class Place>
  decltype(auto) operator[](MatrixPosition<Place> id) const {
    return id.column(p + id.row * stride);
  }
};

/// A vector of sums. `sum[d] += term` adds a term to the sum at position d.
template <class T>
struct SumView {
  T* p;

  template <class Place>
  struct Element {
    T* p;
    Place d;
    template <class V>
    void operator+=(const V& term) const {
      d.set(p, d(p) + term);
    }
  };
  template <class Place>
  Element<Place> operator[](Place d) const {
    return {p, d};
  }
};

template <class V>
[[gnu::always_inline]] inline V squared(const V& v) {
  return v * v;
}

}  // namespace NORMPROOF_ISA
}  // namespace normproof::ref::ops
