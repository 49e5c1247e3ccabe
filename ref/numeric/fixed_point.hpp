#pragma once

#include <cstdint>

#include "ref/numeric/device_function.hpp"

namespace normproof::ref::numeric {
inline namespace NORMPROOF_SIDE {

/// Returns the number of binary digits of v, which is 0 for v = 0.
NORMPROOF_DEVICE int bit_width(std::uint64_t v);

/// A real number >= 0 in fixed point with an error bound. It has limbs of 64 bits, of which the
/// last is the integer part, and an error in units in the last place, 2^-(64 (limbs - 1)).
///
/// Computes  each operation truncates, and its error covers the truncation and the operands'
///           errors: |value - exact| <= error, where exact is the result for the exact operands
/// Requires  (C1) 2 <= limbs <= kMaxLimbs, the same for both operands
///           (C2) the integer part of a result is below 2^63, and a difference is not negative
/// Error     saturates at 2^64 - 1, which means that nothing is known
class FixedPoint {
 public:
  static constexpr int kMaxLimbs = 33;

  NORMPROOF_DEVICE explicit FixedPoint(int limbs, std::uint64_t integer = 0);
  /// Takes the first limbs of a constant that has `count` limbs, rounded down.
  NORMPROOF_DEVICE FixedPoint(int limbs, const unsigned long long* constant, int count);
  /// Returns |x| times 2^exponent, exactly if the limbs have enough bits, otherwise truncated.
  NORMPROOF_DEVICE static FixedPoint from_double(int limbs, double x, int exponent = 0);

  NORMPROOF_DEVICE FixedPoint& operator+=(const FixedPoint& b);
  NORMPROOF_DEVICE FixedPoint& operator-=(const FixedPoint& b);
  NORMPROOF_DEVICE friend FixedPoint operator*(const FixedPoint& a, const FixedPoint& b);
  NORMPROOF_DEVICE FixedPoint& operator*=(std::uint64_t b);
  /// Divides by b > 0.
  NORMPROOF_DEVICE FixedPoint& operator/=(std::uint32_t b);
  NORMPROOF_DEVICE FixedPoint& operator>>=(int bits);
  /// Returns 1/b.
  /// Requires  (C3) 1 <= b < 2^40, also for the exact b
  NORMPROOF_DEVICE friend FixedPoint reciprocal(const FixedPoint& b);

  NORMPROOF_DEVICE int limbs() const { return limbs_; }
  NORMPROOF_DEVICE std::uint64_t limb(int i) const { return limb_[i]; }
  NORMPROOF_DEVICE std::uint64_t integer() const { return limb_[limbs_ - 1]; }
  NORMPROOF_DEVICE std::uint64_t error() const { return error_; }
  NORMPROOF_DEVICE bool is_zero() const;
  /// Whether the value, without its error, is at least that of b.
  NORMPROOF_DEVICE bool at_least(const FixedPoint& b) const;
  /// Returns a double within 2^-40 of the value.
  NORMPROOF_DEVICE double approximate() const;
  /// Increases the error.
  NORMPROOF_DEVICE void add_error(std::uint64_t units);

  /// Rounds the value times 2^exponent to the nearest double, which may be subnormal, 0 or
  /// infinite. Returns true, and sets *result, if every number within the error rounds to the same
  /// double.
  NORMPROOF_DEVICE bool round(int exponent, double* result) const;

 private:
  std::uint64_t limb_[kMaxLimbs];
  int limbs_;
  std::uint64_t error_ = 0;
};

}  // namespace NORMPROOF_SIDE
}  // namespace normproof::ref::numeric
