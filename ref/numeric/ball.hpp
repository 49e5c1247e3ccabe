#pragma once

#include <string>

#include "ref/numeric/arb.hpp"

namespace normproof::ref::numeric {

/// A set of real numbers, given by a midpoint and a radius. A ball encloses the exact result of a
/// computation. It is a value type based on FLINT/Arb.
///
/// Source    [Joh17], Arb's mid-rad interval arithmetic
/// Computes  the result of + - * / and sqrt contains the exact result for all points of the
///           operands
/// Error     the radius is a rigorous bound that covers both rounding and the radii of the operands
///
/// A comparison is true only if it is certain: `a < b` is true only if every point of a lies below
/// every point of b. So `a < b` and `a >= b` can both be false.
class ball {
 public:
  /// Returns the number of bits to which midpoints are rounded in this thread. It is 128 unless a
  /// BallPrecision exists.
  static slong precision();

  ball() { arb_init(value_); }
  ball(double v) : ball() { arb_set_d(value_, v); }
  ball(int v) : ball() { arb_set_si(value_, v); }
  ball(const ball& other) : ball() { arb_set(value_, other.value_); }
  ball(ball&& other) noexcept : ball() { arb_swap(value_, other.value_); }
  ball& operator=(const ball& other) {
    arb_set(value_, other.value_);
    return *this;
  }
  ball& operator=(ball&& other) noexcept {
    arb_swap(value_, other.value_);
    return *this;
  }
  ~ball() { arb_clear(value_); }

  ball& operator+=(const ball& b) { return arb_add(value_, value_, b.value_, precision()), *this; }
  ball& operator-=(const ball& b) { return arb_sub(value_, value_, b.value_, precision()), *this; }
  ball& operator*=(const ball& b) { return arb_mul(value_, value_, b.value_, precision()), *this; }
  ball& operator/=(const ball& b) { return arb_div(value_, value_, b.value_, precision()), *this; }
  ball operator-() const {
    ball r;
    arb_neg(r.value_, value_);
    return r;
  }
  friend ball operator+(ball a, const ball& b) { return a += b; }
  friend ball operator-(ball a, const ball& b) { return a -= b; }
  friend ball operator*(ball a, const ball& b) { return a *= b; }
  friend ball operator/(ball a, const ball& b) { return a /= b; }

  friend bool operator<(const ball& a, const ball& b) { return arb_lt(a.value_, b.value_) != 0; }
  friend bool operator>(const ball& a, const ball& b) { return arb_gt(a.value_, b.value_) != 0; }
  friend bool operator<=(const ball& a, const ball& b) { return arb_le(a.value_, b.value_) != 0; }
  friend bool operator>=(const ball& a, const ball& b) { return arb_ge(a.value_, b.value_) != 0; }
  /// Returns true if both balls consist of the same single point.
  friend bool operator==(const ball& a, const ball& b) { return arb_eq(a.value_, b.value_) != 0; }
  friend bool operator!=(const ball& a, const ball& b) { return !(a == b); }

  arb_ptr get() { return value_; }
  arb_srcptr get() const { return value_; }

  /// midpoint() returns the midpoint rounded to the nearest double. lower() returns the largest
  /// double below all points of the ball, and upper() the smallest double above all of them.
  double midpoint() const;
  double lower() const;
  double upper() const;
  bool is_finite() const { return arb_is_finite(value_) != 0; }
  /// Whether the ball contains the point v.
  bool contains(double v) const;

 private:
  arb_t value_;
};

/// Sets the precision of `ball` in this thread, as long as this object exists.
class BallPrecision {
 public:
  explicit BallPrecision(slong bits);
  ~BallPrecision();
  BallPrecision(const BallPrecision&) = delete;
  BallPrecision& operator=(const BallPrecision&) = delete;

 private:
  slong previous_;
};

/// Returns a ball that contains the square roots of all points x >= 0 of the ball. Points below 0
/// are ignored, because the ball of a sum of squares may contain some.
ball sqrt(const ball& x);
/// Returns the smallest ball, up to rounding, that contains both a and b.
ball hull(const ball& a, const ball& b);

}  // namespace normproof::ref::numeric
