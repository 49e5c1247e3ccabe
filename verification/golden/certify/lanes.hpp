#pragma once

#include <cstddef>
#include <cstring>

#include "ref/numeric/lanes.hpp"

/// Vectors of eight doubles. They consist of packs (ref/numeric/pack.hpp) of any width. The
/// operations apply to the elements one by one, so that the bits do not depend on the machine.
namespace normproof::verification::golden::certify {

using ref::numeric::IntPack;
using ref::numeric::Pack;

constexpr std::size_t kLanes = 8;
constexpr std::size_t kPacks = kLanes / ref::numeric::kPackWidth;

/// Eight truth values.
struct LaneMask {
  IntPack pack[kPacks];

  LaneMask& operator&=(const LaneMask& other) {
    for (std::size_t k = 0; k < kPacks; ++k) pack[k] &= other.pack[k];
    return *this;
  }
  LaneMask operator~() const {
    LaneMask complement;
    for (std::size_t k = 0; k < kPacks; ++k) complement.pack[k] = ~pack[k];
    return complement;
  }
};

/// Eight neighboring elements of a row.
struct Lanes {
  Pack pack[kPacks];

  double& operator[](std::size_t l) { return reinterpret_cast<double*>(pack)[l]; }
  double operator[](std::size_t l) const { return reinterpret_cast<const double*>(pack)[l]; }
};

/// Returns the eight results of an operation on packs.
template <class Operation>
[[gnu::always_inline]] inline Lanes for_each_pack(Operation operation) {
  Lanes result;
  for (std::size_t k = 0; k < kPacks; ++k) result.pack[k] = operation(k);
  return result;
}
template <class Comparison>
[[gnu::always_inline]] inline LaneMask compare_each_pack(Comparison comparison) {
  LaneMask mask;
  for (std::size_t k = 0; k < kPacks; ++k) mask.pack[k] = comparison(k);
  return mask;
}

inline Lanes fill(double v) {
  return for_each_pack([&](std::size_t) { return ref::numeric::broadcast(v); });
}
inline Lanes operator+(const Lanes& a, const Lanes& b) {
  return for_each_pack([&](std::size_t k) { return a.pack[k] + b.pack[k]; });
}
inline Lanes operator-(const Lanes& a, const Lanes& b) {
  return for_each_pack([&](std::size_t k) { return a.pack[k] - b.pack[k]; });
}
inline Lanes operator*(const Lanes& a, const Lanes& b) {
  return for_each_pack([&](std::size_t k) { return a.pack[k] * b.pack[k]; });
}
inline Lanes operator+(const Lanes& a, double b) {
  return a + fill(b);
}
inline Lanes operator-(const Lanes& a, double b) {
  return a - fill(b);
}
inline Lanes operator*(const Lanes& a, double b) {
  return a * fill(b);
}
inline Lanes operator*(double a, const Lanes& b) {
  return fill(a) * b;
}
inline Lanes& operator+=(Lanes& a, const Lanes& b) {
  return a = a + b;
}
inline Lanes magnitude_of(const Lanes& v) {
  constexpr ref::numeric::Int kAllButSign = ~ref::numeric::Int{0} >> 1;
  return for_each_pack([&](std::size_t k) {
    return ref::numeric::from_bits(ref::numeric::to_bits(v.pack[k]) & kAllButSign);
  });
}
inline LaneMask is_at_most(const Lanes& a, double b) {
  return compare_each_pack([bound = fill(b), &a](std::size_t k) {
    return ref::numeric::at_most(a.pack[k], bound.pack[k]);
  });
}
inline LaneMask is_zero(const Lanes& a) {
  return compare_each_pack([&](std::size_t k) { return ref::numeric::same(a.pack[k], Pack{}); });
}
/// Returns v in the lanes in which the mask is true, and 0 in the others.
inline Lanes zero_unless(const LaneMask& mask, const Lanes& v) {
  return for_each_pack([&](std::size_t k) {
    return ref::numeric::from_bits(ref::numeric::to_bits(v.pack[k]) & mask.pack[k]);
  });
}
/// Returns 0 in the lanes in which the mask is true, and v in the others.
inline Lanes zero_where(const LaneMask& mask, const Lanes& v) {
  return zero_unless(~mask, v);
}

inline Lanes load(const double* p) {
  Lanes lanes;
  std::memcpy(&lanes, p, sizeof lanes);
  return lanes;
}
inline void store(double* p, const Lanes& lanes) {
  std::memcpy(p, &lanes, sizeof lanes);
}
/// Returns the sum of the lanes in ascending order.
inline double add_lanes(const Lanes& lanes) {
  double sum = 0;
  for (std::size_t l = 0; l < kLanes; ++l) sum += lanes[l];
  return sum;
}
inline bool is_true_everywhere(const LaneMask& mask) {
  bool all = true;
  for (const IntPack& pack : mask.pack) all = all && ref::numeric::all(pack);
  return all;
}

}  // namespace normproof::verification::golden::certify
