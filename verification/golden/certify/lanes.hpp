#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

/// Vectors of eight doubles. The operations apply to the elements one by one, so that the bits do
/// not depend on the machine.
namespace normproof::verification::golden::certify {

/// Two doubles in a register of the baseline instruction set.
typedef double Pair __attribute__((vector_size(16)));
typedef std::int64_t PairMask __attribute__((vector_size(16)));

constexpr std::size_t kLanes = 8;
constexpr std::size_t kPairs = kLanes / 2;

/// Eight truth values.
struct LaneMask {
  PairMask pair[kPairs];

  LaneMask& operator&=(const LaneMask& other) {
    for (std::size_t k = 0; k < kPairs; ++k) pair[k] &= other.pair[k];
    return *this;
  }
};

/// Eight neighboring elements of a row. The operations apply to the elements one by one, so that
/// the bits do not depend on the machine.
struct Lanes {
  Pair pair[kPairs];

  double& operator[](std::size_t l) { return reinterpret_cast<double*>(pair)[l]; }
  double operator[](std::size_t l) const { return reinterpret_cast<const double*>(pair)[l]; }
};

/// Returns the eight results of an operation on pairs.
template <class Operation>
[[gnu::always_inline]] inline Lanes for_each_pair(Operation operation) {
  Lanes result;
  for (std::size_t k = 0; k < kPairs; ++k) result.pair[k] = operation(k);
  return result;
}
template <class Comparison>
[[gnu::always_inline]] inline LaneMask compare_each_pair(Comparison comparison) {
  LaneMask mask;
  for (std::size_t k = 0; k < kPairs; ++k) mask.pair[k] = comparison(k);
  return mask;
}

inline Lanes fill(double v) {
  return for_each_pair([&](std::size_t) { return Pair{v, v}; });
}
inline Lanes operator+(const Lanes& a, const Lanes& b) {
  return for_each_pair([&](std::size_t k) { return a.pair[k] + b.pair[k]; });
}
inline Lanes operator-(const Lanes& a, const Lanes& b) {
  return for_each_pair([&](std::size_t k) { return a.pair[k] - b.pair[k]; });
}
inline Lanes operator*(const Lanes& a, const Lanes& b) {
  return for_each_pair([&](std::size_t k) { return a.pair[k] * b.pair[k]; });
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
  constexpr std::int64_t kAllButSign = std::numeric_limits<std::int64_t>::max();
  return for_each_pair([&](std::size_t k) {
    return reinterpret_cast<Pair>(reinterpret_cast<PairMask>(v.pair[k]) &
                                  PairMask{kAllButSign, kAllButSign});
  });
}
inline LaneMask is_at_most(const Lanes& a, double b) {
  return compare_each_pair([&](std::size_t k) { return a.pair[k] <= Pair{b, b}; });
}
inline LaneMask is_zero(const Lanes& a) {
  return compare_each_pair([&](std::size_t k) { return a.pair[k] == Pair{}; });
}
/// Returns 0 in the lanes in which the mask is true, and v in the others.
inline Lanes zero_where(const LaneMask& mask, const Lanes& v) {
  return for_each_pair([&](std::size_t k) {
    return reinterpret_cast<Pair>(reinterpret_cast<PairMask>(v.pair[k]) & ~mask.pair[k]);
  });
}
/// Returns v in the lanes in which the mask is true, and 0 in the others.
inline Lanes zero_unless(const LaneMask& mask, const Lanes& v) {
  return for_each_pair([&](std::size_t k) {
    return reinterpret_cast<Pair>(reinterpret_cast<PairMask>(v.pair[k]) & mask.pair[k]);
  });
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
  for (const PairMask& pair : mask.pair) all = all && pair[0] != 0 && pair[1] != 0;
  return all;
}

}  // namespace normproof::verification::golden::certify
