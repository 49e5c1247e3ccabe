#pragma once

#include <cstdint>
#include <type_traits>

#include "gpu/ops/matrices.hpp"
#include "gpu/ops/storage_rounding.hpp"

/// Operands of a library: rounded, without gaps, row by row, in the type that it takes. bfloat16
/// and float16 are their 16 bits.
namespace normproof::gpu::ops {

/// A number of float16 as its bits.
/// Requires  (C1) v is one
NORMPROOF_DEVICE inline std::uint16_t float16_bits(double v) {
  using Bits = unsigned long long;
  const Bits bits = __builtin_bit_cast(Bits, v);
  const auto sign = static_cast<std::uint16_t>(bits >> 48 & 0x8000);
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  std::uint16_t rest = 0;
  if (exponent == 1024)
    rest = v != v ? 0x7e00 : 0x7c00;
  else if (exponent >= -14)
    rest = static_cast<std::uint16_t>((exponent + 15) << 10 | static_cast<int>(bits >> 42 & 0x3ff));
  else
    rest = static_cast<std::uint16_t>((v < 0 ? -v : v) * 0x1p24);
  return static_cast<std::uint16_t>(sign | rest);
}

/// A number of bfloat16 as its bits: the upper half of those of float32.
NORMPROOF_DEVICE inline std::uint16_t bfloat16_bits(double v) {
  return static_cast<std::uint16_t>(__builtin_bit_cast(unsigned int, static_cast<float>(v)) >> 16);
}

/// As float32 takes them, or with 16 bits of either format.
enum class Packing { float32, bfloat16, float16 };

/// Element i of the matrices, the first `batches` of them.
template <Packing packing>
struct PackOperand {
  using Stored = std::conditional_t<packing == Packing::float32, float, std::uint16_t>;

  Matrices<const double> from;
  StorageRounding rounding;
  device::Span<Stored> to;

  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    const std::size_t each = from.rows * from.columns;
    const double v = rounding(from.at(i / each, i % each / from.columns, i % from.columns));
    if constexpr (packing == Packing::float32)
      to[i] = static_cast<float>(v);
    else
      to[i] = packing == Packing::bfloat16 ? bfloat16_bits(v) : float16_bits(v);
  }
};

/// c = p, or c + p.
struct TakeProduct {
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

/// Where each matrix of a batch begins.
template <class T>
struct MatrixPlaces {
  Matrices<T> m;
  device::Span<T*> places;
  NORMPROOF_DEVICE void operator()(std::size_t p) const { places[p] = m.data.data + m.offset(p); }
};

}  // namespace normproof::gpu::ops
