#pragma once

#include <cmath>
#include <limits>

namespace normproof::ref::numeric {

/// A scalar that holds the `double` value that the reference computes and a rigorous bound of its
/// distance from the exact result (running error analysis). A layer evaluated on this scalar
/// returns an error bound for each element of its `double` output, for the given data.
///
/// Source    [Hig02] section 3.3; docs/error_analysis.md, section 1
/// Computes  value: exactly the bits of the `double` evaluation, operation by operation; error:
///           |value - exact| <= error, where exact is the result of exact real arithmetic on the
///           same inputs
/// Error     the bound itself is computed in `double`; each operation multiplies it by 1 + 2^-49
///           and adds 2^-1072, which covers its own rounding and underflow
///
/// Comparisons use the value only, so every branch is taken as in the `double` evaluation.
class running_error {
 public:
  running_error() = default;
  running_error(double v) : value(v) {}
  running_error(int v) : value(v) {}
  running_error(double v, double e) : value(v), error(e) {}

  running_error& operator+=(const running_error& b) {
    return *this = rounded(value + b.value, error + b.error);
  }
  running_error& operator-=(const running_error& b) {
    return *this = rounded(value - b.value, error + b.error);
  }
  running_error& operator*=(const running_error& b) {
    return *this = rounded(value * b.value, std::fabs(value) * b.error +
                                                std::fabs(b.value) * error + error * b.error);
  }
  running_error& operator/=(const running_error& b) {
    const double quotient = value / b.value;
    const double least = (std::fabs(b.value) - b.error) * (1 - kSlack);
    // |v/w - a/b| = |(v - a) - (v/w)(w - b)| / |b|, where v/w is the computed quotient and a/b the
    // exact one. `largest` bounds |v/w| by the rounded quotient.
    const double largest = std::fabs(quotient) * (1 + kSlack) + kUnderflow;
    const double numerator = error + largest * b.error;
    const bool exact = error == 0 && b.error == 0;
    const double propagated = exact ? 0 : (numerator + kUnderflow) / least;
    if (!(least > 0)) return *this = running_error(quotient, infinity());
    return *this = rounded(quotient, propagated);
  }
  /// Returns `a b + c`, rounded once. Sums of products of `double` use the same operation.
  friend running_error multiply_add(const running_error& a, const running_error& b,
                                    const running_error& c) {
    return rounded(
        __builtin_fma(a.value, b.value, c.value),
        std::fabs(a.value) * b.error + std::fabs(b.value) * a.error + a.error * b.error + c.error);
  }
  running_error operator-() const { return running_error(-value, error); }
  friend running_error operator+(running_error a, const running_error& b) { return a += b; }
  friend running_error operator-(running_error a, const running_error& b) { return a -= b; }
  friend running_error operator*(running_error a, const running_error& b) { return a *= b; }
  friend running_error operator/(running_error a, const running_error& b) { return a /= b; }

  friend bool operator<(const running_error& a, const running_error& b) {
    return a.value < b.value;
  }
  friend bool operator>(const running_error& a, const running_error& b) {
    return a.value > b.value;
  }
  friend bool operator<=(const running_error& a, const running_error& b) {
    return a.value <= b.value;
  }
  friend bool operator>=(const running_error& a, const running_error& b) {
    return a.value >= b.value;
  }
  friend bool operator==(const running_error& a, const running_error& b) {
    return a.value == b.value;
  }
  friend bool operator!=(const running_error& a, const running_error& b) {
    return a.value != b.value;
  }

  /// Returns the square root. For the value v and the exact number a, its error is |sqrt(v) -
  /// sqrt(a)| = |v - a| / (sqrt(v) + sqrt(a)), which is at most error / sqrt(v) and at most
  /// sqrt(error).
  friend running_error sqrt(const running_error& x) {
    const double root = std::sqrt(x.value);
    const double relative = x.error / root;
    const double absolute = std::sqrt(x.error);
    return rounded(root, x.error == 0 ? 0 : relative <= absolute ? relative : absolute);
  }

  /// Returns the result of an operation whose value was correctly rounded to `result`. `propagated`
  /// is the part of the error that comes from the operands, and was computed with at most 8
  /// roundings. The rounding of `result` adds u |result|, even for an exact sum or difference, to
  /// keep the bound simple.
  static running_error rounded(double result, double propagated) {
    const double e = (propagated + kUnitRoundoff * std::fabs(result)) * (1 + kSlack) + kUnderflow;
    // 0 times an infinite error gives NaN. That also means that no bound is known.
    return running_error(result, std::isfinite(result) && e == e ? e : infinity());
  }

  double value = 0;
  double error = 0;

 private:
  static constexpr double kUnitRoundoff = 0x1p-53;
  static constexpr double kSlack = 0x1p-49;
  static constexpr double kUnderflow = 0x1p-1072;
  static constexpr double infinity() { return std::numeric_limits<double>::infinity(); }
};

}  // namespace normproof::ref::numeric
