#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "ref/numeric/float_format.hpp"

namespace normproof::ref::numeric {

/// The format that somebody else's implementation computes in.
struct Arithmetic {
  double unit_roundoff;  ///< half the distance from 1 to the next number
  double tiny;           ///< the least normal number: what is smaller may be flushed to 0
  double largest;
  /// Inputs and options, whether the format holds them or not, are taken to be off by that share.
  double input_roundoff = 0;
  /// Sums, differences and products of exact operands are exact, and quotients by powers of two:
  /// the inputs are chosen so. Other operations are off as ever, and what they lead to.
  bool exact_operations = false;
  /// A factor may be multiplied into a difference: x r - m r for (x - m) r, which loses what
  /// cancels.
  bool folded = false;
};
constexpr Arithmetic arithmetic_in(FloatType type) {
  const FloatFormat& format = format_of(type);
  return {format.unit_roundoff, format.smallest_normal, format.largest};
}

/// The reference's `double`, together with a bound of how far any implementation of the same
/// formula in the Arithmetic of this scope may be from the exact result: whatever the order of its
/// sums, with operations that are off by 2 units in the last place (CUDA's rsqrtf), with or without
/// fma, flushing subnormal numbers to 0 or not.
///
/// Source    [Hig02] sections 3.1 and 3.3; docs/derivations/error_analysis.md, section 8
/// Computes  value: the bits of the `double` evaluation; error: |candidate - exact| <= error, and
///           |value - exact| <= error. A sum of n terms t_i with errors e_i, in any order, is off
///           by at most sum e_i + (n-1) u / (1 - (n-1) u) sum (|t_i| + 2 e_i); one of two terms
///           is rounded once, e_1 + e_2 + u |sum|, unless the arithmetic is folded. What no
///           candidate makes negative is known: the square of a number, sums, products, quotients
///           and roots of such; so a variance in two passes plus eps has a root of at least about
///           sqrt(eps).
///           Infinite where the arithmetic may overflow or divide by 0: nothing is claimed there
/// Requires  (C1) inputs whose bits the format holds are exact; another constant is rounded to it
///
/// Comparisons look at the value alone: a branch is taken as the `double` evaluation takes it.
class any_order_error {
 public:
  any_order_error() = default;
  any_order_error(double v);
  any_order_error(int v) : any_order_error(static_cast<double>(v)) {}
  any_order_error(double v, double e) : value(v), error(e) {}

  any_order_error& operator+=(const any_order_error& b);
  any_order_error& operator-=(const any_order_error& b) { return *this += -b; }
  any_order_error& operator*=(const any_order_error& b);
  any_order_error& operator/=(const any_order_error& b);
  any_order_error operator-() const {
    any_order_error negative = *this;
    negative.value = -value;
    negative.floor_ = kUnknown;
    negative.identity_ = 0;
    return negative;
  }
  friend any_order_error operator+(any_order_error a, const any_order_error& b) { return a += b; }
  friend any_order_error operator-(any_order_error a, const any_order_error& b) { return a -= b; }
  friend any_order_error operator*(any_order_error a, const any_order_error& b) { return a *= b; }
  friend any_order_error operator/(any_order_error a, const any_order_error& b) { return a /= b; }

  friend bool operator<(const any_order_error& a, const any_order_error& b) {
    return a.value < b.value;
  }
  friend bool operator>(const any_order_error& a, const any_order_error& b) {
    return a.value > b.value;
  }
  friend bool operator<=(const any_order_error& a, const any_order_error& b) {
    return a.value <= b.value;
  }
  friend bool operator>=(const any_order_error& a, const any_order_error& b) {
    return a.value >= b.value;
  }
  friend bool operator==(const any_order_error& a, const any_order_error& b) {
    return a.value == b.value;
  }
  friend bool operator!=(const any_order_error& a, const any_order_error& b) {
    return a.value != b.value;
  }
  friend any_order_error sqrt(const any_order_error& x);

  /// An operation that comes to `result` in `double`, whose operands' errors contribute
  /// `propagated`.
  static any_order_error rounded(double result, double propagated);

  double value = 0;
  double error = 0;

  /// What the exact result is at least, and what every candidate has.
  double least() const { return std::max(floor_, value - 2 * error); }

 private:
  static constexpr double kUnknown = -std::numeric_limits<double>::infinity();

  /// At most |what a candidate has|: both lie within `error` of the exact value.
  double largest_candidate() const { return std::fabs(value) + 2 * error; }

  /// What is known of a sum that may still grow: how many terms, what they are at most, and their
  /// errors.
  double terms_ = 0;
  double magnitude_ = 0;
  double propagated_ = 0;

  /// A lower bound that is known otherwise than by the error.
  double floor_ = kUnknown;
  /// The same in two numbers that a candidate has as one, so that their product is a square; 0
  /// where nothing is known of it.
  std::uint64_t identity_ = 0;

  any_order_error& identified();
  static any_order_error exact(double v);
};

/// The arithmetic of any_order_error in this scope and thread; float64 unless one says otherwise.
class AnyOrderArithmetic {
 public:
  explicit AnyOrderArithmetic(const Arithmetic& arithmetic);
  ~AnyOrderArithmetic();
  AnyOrderArithmetic(const AnyOrderArithmetic&) = delete;
  AnyOrderArithmetic& operator=(const AnyOrderArithmetic&) = delete;

  static const Arithmetic& current();

 private:
  Arithmetic previous_;
};

}  // namespace normproof::ref::numeric
