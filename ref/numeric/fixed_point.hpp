#pragma once

#include <cstdint>

namespace normproof::ref::numeric {

/// A real number >= 0 in fixed point, known to within a bound: limbs of 64 bits, the integer part
/// last, and an error in units of the last place, 2^-(64 (limbs - 1)).
///
/// Computes  each operation truncates, and its error covers the truncation and the operands'
/// errors:
///           |value - exact| <= error, where exact is the result for the exact operands
/// Requires  (C1) 2 <= limbs <= kMaxLimbs, the same of both operands; (C2) the integer part of a
///           result is below 2^63, and a difference is not negative
/// Error     saturates at 2^64 - 1, which says "nothing is known"
class FixedPoint {
 public:
  static constexpr int kMaxLimbs = 33;

  explicit FixedPoint(int limbs, std::uint64_t integer = 0);
  /// The first limbs of a constant given by `count` limbs, rounded down.
  FixedPoint(int limbs, const unsigned long long* constant, int count);
  /// |x| times 2^exponent; exact where the bits reach, else truncated.
  static FixedPoint from_double(int limbs, double x, int exponent = 0);

  FixedPoint& operator+=(const FixedPoint& b);
  FixedPoint& operator-=(const FixedPoint& b);
  friend FixedPoint operator*(const FixedPoint& a, const FixedPoint& b);
  FixedPoint& operator*=(std::uint64_t b);
  /// Divides by b > 0.
  FixedPoint& operator/=(std::uint32_t b);
  FixedPoint& operator>>=(int bits);
  /// Computes  1/b
  /// Requires  (C3) 1 <= b < 2^40, the exact b too
  friend FixedPoint reciprocal(const FixedPoint& b);

  int limbs() const { return limbs_; }
  std::uint64_t limb(int i) const { return limb_[i]; }
  std::uint64_t integer() const { return limb_[limbs_ - 1]; }
  std::uint64_t error() const { return error_; }
  bool is_zero() const;
  /// True where the value, error aside, is at least that of b.
  bool at_least(const FixedPoint& b) const;
  /// A double within 2^-40 of the value.
  double approximate() const;
  /// Widens the error.
  void add_error(std::uint64_t units);

  /// Rounds every number within the error of the value, times 2^exponent, to the nearest double:
  /// subnormal, 0 and infinite ones included.
  /// Computes  true where all give the same one, then *result is that
  bool round(int exponent, double* result) const;

 private:
  std::uint64_t limb_[kMaxLimbs];
  int limbs_;
  std::uint64_t error_ = 0;
};

}  // namespace normproof::ref::numeric
