#pragma once

#include "ref/ops/pack.hpp"

/// Numbers by the index of a formula: x_d of the specification is x[d] in the source. An index is a
/// place among neighbouring elements (At, or PackAt for as many as a register holds) or a Cell of a
/// matrix. A term is a function of the index that gives the value there; it captures views by
/// value, so that the compiler sees that nothing else changes them.
namespace normproof::ref::ops {

/// Rows of `width` neighbouring elements that follow each other without gaps.
struct RowLayout {
  std::size_t count;
  std::size_t width;
};

/// Rows by their numbers, ascending; `listed` null stands for the rows 0 .. count-1.
struct RowList {
  const std::size_t* listed;
  std::size_t count;
};

/// Indices [begin, end).
struct IndexRange {
  std::size_t begin;
  std::size_t end;
};

inline namespace NORMPROOF_ISA {

/// Row and column of an element.
template <class Place>
struct Cell {
  std::size_t row;
  Place column;
};

/// A vector: one number a place, and for a cell the number of its column.
template <class T>
struct View {
  const T* p;

  template <class Place>
  decltype(auto) operator[](Place d) const {
    return d(p);
  }
  template <class Place>
  decltype(auto) operator[](Cell<Place> id) const {
    return id.column(p);
  }
};

/// Neighbouring columns of a matrix whose rows are `stride` apart; `p` is the first of row 0.
template <class T>
struct ColumnView {
  const T* p;
  std::size_t stride;

  template <class Place>
  decltype(auto) operator[](Cell<Place> id) const {
    return id.column(p + id.row * stride);
  }
};

/// A vector of sums: sum[d] += term.
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
