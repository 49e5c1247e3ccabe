#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "ref/numeric/float_format.hpp"

namespace normproof::ref::numeric {

/// The floating-point format in which a tested implementation (the candidate) computes.
struct Arithmetic {
  double unit_roundoff;  ///< half the distance from 1 to the next number
  double tiny;           ///< the smallest normal number; smaller results may be flushed to 0
  double largest;
  /// The relative error that inputs and options are assumed to have, even if the format can
  /// represent them.
  double input_roundoff = 0;
  /// The inputs are chosen so that sums, differences and products of exact operands, and quotients
  /// by powers of two, are exact. Other operations, and what depends on them, have the usual error.
  bool exact_operations = false;
  /// The candidate may multiply a factor into a difference: x r - m r instead of (x - m) r, which
  /// loses the digits that cancel.
  bool folded = false;
};
constexpr Arithmetic arithmetic_in(FloatType type) {
  const FloatFormat& format = format_of(type);
  return {format.unit_roundoff, format.smallest_normal, format.largest};
}

/// The reference's `double` value, together with an error bound for any implementation of the same
/// formula in the current Arithmetic. The bound holds for any order of sums, for operations that
/// are off by 2 units in the last place (CUDA's rsqrtf), with or without fma, and with or without
/// flushing subnormal numbers to 0.
///
/// Source    [Hig02] sections 3.1 and 3.3; docs/error_analysis.md, section 8
/// Computes  value: the bits of the `double` evaluation; error: |candidate - exact| <= error, and
///           |value - exact| <= error. A sum of n terms t_i with errors e_i, in any order, is off
///           by at most sum e_i + (n-1) u / (1 - (n-1) u) sum (|t_i| + 2 e_i). A sum of two terms
///           is rounded once: e_1 + e_2 + u |sum|, unless the arithmetic is folded. Lower bounds
///           are tracked too: squares, and sums, products, quotients and roots of numbers that are
///           not negative, cannot be negative for any candidate. So the root of a variance in two
///           passes plus eps is at least about sqrt(eps). The error is infinite, which claims
///           nothing, if the arithmetic may overflow or divide by 0
/// Requires  (C1) inputs whose bits the format holds are exact; another constant is rounded to the
///           format
///
/// Comparisons use the value only, so a branch is taken as in the `double` evaluation.
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

  /// Returns the value of an operation whose `double` result is `result`, where the errors of the
  /// operands contribute `propagated`.
  static any_order_error rounded(double result, double propagated);

  double value = 0;
  double error = 0;

  /// Returns a lower bound of the exact result and of every candidate's result.
  double least() const { return std::max(floor_, value - 2 * error); }

 private:
  static constexpr double kUnknown = -std::numeric_limits<double>::infinity();

  /// Returns an upper bound of a candidate's magnitude, because candidate and value both lie within
  /// `error` of the exact result.
  double max_candidate_magnitude() const { return std::fabs(value) + 2 * error; }

  /// The state of a sum that may still grow: the number of its terms, the sum of their maximum
  /// magnitudes, and the sum of their errors.
  double terms_ = 0;
  double magnitude_ = 0;
  double propagated_ = 0;

  /// A lower bound that does not come from the error.
  double floor_ = kUnknown;
  /// Equal in two objects that are one number for a candidate, so that their product is a square. 0
  /// if nothing is known.
  std::uint64_t identity_ = 0;

  any_order_error& assign_identity();
  static any_order_error exact(double v);
};

/// Sets the arithmetic of any_order_error for this scope and thread. The default is float64.
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
