#pragma once

#include "ref/ops/pack.hpp"

/// Views that are indexed like the formulas: x_d of the specification is x[d] in the source. An
/// index is a position among contiguous elements (At, or PackAt for as many as a register holds) or
/// a Cell of a matrix. A term is a function that returns the value at an index. It captures views
/// by value, so that the compiler knows that nothing else changes them.
namespace normproof::ref::ops {

/// Contiguous rows of `width` elements each.
struct RowLayout {
  std::size_t count;
  std::size_t width;
};

/// Rows by their indices in ascending order. If `listed` is null, they are the rows 0 .. count-1.
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

/// The row and the column of an element.
template <class Place>
struct Cell {
  std::size_t row;
  Place column;
};

/// A vector. An index selects one of its numbers; a cell selects the number of its column.
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

/// Adjacent columns of a matrix whose rows are `stride` apart; `p` points to the first of them in
/// row 0.
template <class T>
struct ColumnView {
  const T* p;
  std::size_t stride;

  template <class Place>
  decltype(auto) operator[](Cell<Place> id) const {
    return id.column(p + id.row * stride);
  }
};

/// A vector of sums, to which terms are added by sum[d] += term.
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
