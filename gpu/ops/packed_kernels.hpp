#pragma once

#include <cstdint>
#include <type_traits>

#include "gpu/ops/matrices.hpp"
#include "ref/numeric/float_bits.hpp"

/// Packs the operands of a library product: rounds them to the library's format and stores them row
/// by row without gaps. A format without a C++ type is stored as 16 bits.
namespace normproof::gpu::ops {

/// Rounds and packs one element. `i` is its index in the packed matrices.
template <class Stored>
struct PackOperand {
  Matrices<const double> from;
  ref::numeric::FloatFormat format;
  device::Span<Stored> to;

  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    const std::size_t each = from.rows * from.columns;
    const double v = round_to(format, from.at(i / each, i % each / from.columns, i % from.columns));
    if constexpr (std::is_same_v<Stored, float>)
      to[i] = static_cast<float>(v);
    else
      to[i] = static_cast<Stored>(encode(format, v));
  }
};

/// Stores the library's product p as double: c = p, or c = c + p if `add` is true.
struct StoreProduct {
  device::Span<const float> product;
  Matrices<double> c;
  bool add;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    const std::size_t each = c.rows * c.columns;
    double& element = c.at(i / each, i % each / c.columns, i % c.columns);
    const auto p = static_cast<double>(product[i]);
    element = add ? element + p : p;
  }
};

/// Computes the memory address of each matrix of a batch.
template <class T>
struct MatrixAddresses {
  Matrices<T> m;
  device::Span<T*> places;
  NORMPROOF_DEVICE void operator()(std::size_t p) const { places[p] = m.data.data + m.offset(p); }
};

}  // namespace normproof::gpu::ops
