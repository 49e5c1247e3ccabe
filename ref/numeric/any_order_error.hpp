#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "ref/numeric/float_format.hpp"

namespace normproof::ref::numeric {

/// The floating-point format in which a tested implementation computes. The tested implementation
/// is called the candidate.
struct Arithmetic {
  double unit_roundoff;  ///< half the distance from 1 to the next number
  double tiny;           ///< the smallest normal number; smaller results may be flushed to 0
  double largest;
  /// The relative error that every input and option is assumed to have. It applies even to values
  /// that the format can represent.
  double input_roundoff = 0;
  /// Whether the inputs are chosen so that some operations are known to be exact. These operations
  /// are the sums, differences and products of exact operands, and quotients by powers of two. All
  /// other operations, and operations on inexact operands, have the usual error.
  bool exact_operations = false;
  /// Whether the tested implementation may distribute a factor over a difference and compute `x r -
  /// m r` instead of `(x - m) r`. If x and m are nearly equal, `x r - m r` loses the digits that
  /// cancel.
  bool folded = false;
};
constexpr Arithmetic arithmetic_of_type(FloatType type) {
  const FloatFormat& format = float_format_info(type);
  return {format.unit_roundoff, format.smallest_normal, format.largest};
}

/// A scalar that holds the reference's `double` value and an error bound. A candidate is an
/// implementation under test. The bound holds for every implementation of the same formula in the
/// current Arithmetic: for sums in any order, for operations that are off by 2 units in the last
/// place (such as CUDA's rsqrtf), with or without fma, and with or without flushing subnormal
/// numbers to 0.
///
/// Source    [Hig02] sections 3.1 and 3.3; docs/error_analysis.md, section 8
/// Computes  value: the bits of the `double` evaluation; error: |candidate - exact| <= error, and
///           |value - exact| <= error. A sum of n terms t_i with errors e_i, in any order, is off
///           by at most `sum e_i + (n-1) u / (1 - (n-1) u) sum (|t_i| + 2 e_i)`, where u is the
///           unit roundoff. A sum of two terms is rounded once, so it is off by `e_1 + e_2 + u
///           |sum|`, unless `folded` is set. Lower bounds are tracked too. A square cannot be
///           negative for any candidate. A sum, product, quotient or root of nonnegative numbers
///           cannot be negative either. So if a variance is computed in two passes, the root of
///           variance + eps is at least about sqrt(eps). If the arithmetic may overflow or divide
///           by 0, the error is infinite, which means that no bound is known
/// Requires  (C1) inputs that the format can represent are exact; every other constant is rounded
///           to the format
///
/// A NaN is a number of which nothing is known: its value is an arbitrary finite number, and its
/// error is infinite. With an arithmetic whose unit roundoff and `tiny` are 0, a result has an
/// error other than 0 exactly if a NaN takes part in its operations.
///
/// Comparisons use the value only, so every branch is taken as in the `double` evaluation.
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
    if (identity_ != 0) negative.identity_ = identity_ ^ kNegated;
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

  /// Returns the result of an operation. `result` is its `double` value. `propagated` is the part
  /// of its error that comes from the errors of the operands.
  static any_order_error rounded(double result, double propagated);

  double value = 0;
  double error = 0;

  /// Returns a lower bound of the exact result, and of the result of every implementation to which
  /// the error bound applies.
  double least() const { return std::max(floor_, value - 2 * error); }

 private:
  friend class ErrorTape;
  friend class VarianceBound;

  static constexpr double kUnknown = -std::numeric_limits<double>::infinity();
  /// The bit of an identity that is set for the negative of a number.
  static constexpr std::uint64_t kNegated = std::uint64_t{1} << 63;

  /// Returns an upper bound of the magnitude that a tested implementation (candidate) computes. It
  /// follows because the candidate's value and `value` both lie within `error` of the exact result.
  double max_candidate_magnitude() const { return std::fabs(value) + 2 * error; }

  /// terms_, magnitude_ and propagated_ are the state of a sum to which more terms may be added:
  /// the number of its terms, the sum of the maximum magnitudes of the terms, and the sum of the
  /// errors of the terms.
  double terms_ = 0;
  double magnitude_ = 0;
  double propagated_ = 0;

  /// A lower bound of the value that is known independently of `error`. It is kUnknown if there is
  /// none.
  double floor_ = kUnknown;
  /// If two objects have the same nonzero identity, they hold the same number in every tested
  /// implementation, so their product is a square. The identity 0 means that no equality is known.
  /// The identities of two threads differ.
  std::uint64_t identity_ = 0;

  any_order_error& assign_identity();
  static std::uint64_t next_identity();
  static any_order_error exact(double v);
};

/// Raises the lower bound of a variance, the mean of the squared distances of n numbers from their
/// computed mean. The errors of the distances are not independent: for every computed mean, the
/// mean of the squares is at least the variance.
///
/// Source    docs/error_analysis.md, sections 3.2 and 8
/// Computes  the lower bound `(sqrt(V) - E)^2` with the exact variance V and the root mean square E
///           of the errors of the numbers, less the roundings of the squares and of their mean
class VarianceBound {
 public:
  explicit VarianceBound(const any_order_error& mean) : mean_(mean) {}
  void add(const any_order_error& x);
  /// Raises the lower bound of the variance of the numbers that were added. Does nothing if factors
  /// may be distributed over differences (Arithmetic::folded), or if the arithmetic may overflow.
  void apply_to(any_order_error& variance) const;

 private:
  any_order_error mean_;
  double count_ = 0, squared_errors_ = 0, magnitude_ = 0;
};

/// Raises the lower bound of a variance of `count` numbers if T is any_order_error. element(i)
/// returns number i. Does nothing for any other T.
template <class T, class Element>
void tighten_variance([[maybe_unused]] T& variance, [[maybe_unused]] const T& mean,
                      [[maybe_unused]] std::size_t count, [[maybe_unused]] Element element) {
  if constexpr (std::is_same_v<T, any_order_error>) {
    VarianceBound bound(mean);
    for (std::size_t i = 0; i < count; ++i) bound.add(element(i));
    bound.apply_to(variance);
  }
}

/// Sets the arithmetic that any_order_error uses in this thread, as long as this object exists. The
/// default is float64.
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
