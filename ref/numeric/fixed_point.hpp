#pragma once

#include <cstdint>

#include "ref/numeric/device_function.hpp"

namespace normproof::ref::numeric {
inline namespace NORMPROOF_SIDE {

/// Returns the number of binary digits of v. bit_width(0) is 0.
NORMPROOF_DEVICE int bit_width(std::uint64_t v);

/// A real number >= 0 in fixed point, with an error bound. The number has limbs of 64 bits, and the
/// last limb is its integer part. The error is counted in units in the last place; one unit is
/// 2^-(64 (limbs - 1)).
///
/// Computes  each operation truncates. Its error covers the truncation and the errors of the
///           operands: |value - exact| <= error, where exact is the result for the exact operands
/// Requires  (C1) 2 <= limbs <= kMaxLimbs, the same for both operands
///           (C2) the integer part of a result is below 2^63, and a difference is not negative
/// Error     saturates at 2^64 - 1, which means that no bound is known
class FixedPoint {
 public:
  static constexpr int kMaxLimbs = 33;

  NORMPROOF_DEVICE explicit FixedPoint(int limbs, std::uint64_t integer = 0);
  /// Constructs the number from the first `limbs` limbs of a constant that has `count` limbs. The
  /// constant is rounded down.
  NORMPROOF_DEVICE FixedPoint(int limbs, const unsigned long long* constant, int count);
  /// Returns |x| times 2^exponent. The result is exact if the limbs have enough bits, otherwise
  /// truncated.
  NORMPROOF_DEVICE static FixedPoint from_double(int limbs, double x, int exponent = 0);

  NORMPROOF_DEVICE FixedPoint& operator+=(const FixedPoint& b);
  NORMPROOF_DEVICE FixedPoint& operator-=(const FixedPoint& b);
  NORMPROOF_DEVICE friend FixedPoint operator*(const FixedPoint& a, const FixedPoint& b);
  NORMPROOF_DEVICE FixedPoint& operator*=(std::uint64_t b);
  /// Divides by the integer b > 0.
  NORMPROOF_DEVICE FixedPoint& operator/=(std::uint32_t b);
  NORMPROOF_DEVICE FixedPoint& operator>>=(int bits);
  /// Returns the reciprocal 1/b.
  /// Requires  (C3) 1 <= b < 2^40, also for the exact b
  NORMPROOF_DEVICE friend FixedPoint reciprocal(const FixedPoint& b);

  NORMPROOF_DEVICE int limbs() const { return limbs_; }
  NORMPROOF_DEVICE std::uint64_t limb(int i) const { return limb_[i]; }
  NORMPROOF_DEVICE std::uint64_t integer() const { return limb_[limbs_ - 1]; }
  NORMPROOF_DEVICE std::uint64_t error() const { return error_; }
  NORMPROOF_DEVICE bool is_zero() const;
  /// Whether the value is at least the value of b. The errors are ignored.
  NORMPROOF_DEVICE bool at_least(const FixedPoint& b) const;
  /// Returns a double that differs from the value by at most 2^-40.
  NORMPROOF_DEVICE double approximate() const;
  /// Increases the error by `units` units in the last place.
  NORMPROOF_DEVICE void add_error(std::uint64_t units);

  /// Rounds the product of the value and 2^exponent to the nearest double, which may be subnormal,
  /// 0 or infinite. If every number within the error rounds to the same double, the function sets
  /// *result and returns true. Otherwise it returns false.
  NORMPROOF_DEVICE bool round(int exponent, double* result) const;

 private:
  std::uint64_t limb_[kMaxLimbs];
  int limbs_;
  std::uint64_t error_ = 0;
};

}  // namespace NORMPROOF_SIDE
}  // namespace normproof::ref::numeric
