#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "verification/claims/engine/property.hpp"

namespace normproof::verification::claims::engine {

/// A 50-digit number and a bound of its distance from the exact result. Each operation also updates
/// the bound, as in ref/numeric/running_error.hpp but at a higher precision. A claim uses this type
/// if its tolerance must follow from the precision and from the numbers of the case.
///
/// Source    [Hig02] section 3.3
/// Error     each operation adds 2u = 2^-167 of its result to the bound and inflates the bound by 1
///           + 2^-100, which covers the bound's own rounding. The bound also covers a second
///           50-digit evaluation of the same operations with sums in any order, under two
///           conditions. The operands of the second evaluation are within their bounds. Its results
///           are at most twice as large as the results here, or smaller than their bounds. The
///           exponent range of MPFR rules out underflow
class Bounded {
 public:
  Bounded() = default;
  Bounded(double v) : value(v) {}
  Bounded(int v) : value(v) {}
  Bounded(const oracle50& v) : value(v) {}
  Bounded(const oracle50& v, const oracle50& e) : value(v), error(e) {}

  friend Bounded operator+(const Bounded& a, const Bounded& b) {
    return rounded(a.value + b.value, a.error + b.error);
  }
  friend Bounded operator-(const Bounded& a, const Bounded& b) {
    return rounded(a.value - b.value, a.error + b.error);
  }
  friend Bounded operator*(const Bounded& a, const Bounded& b) {
    return rounded(a.value * b.value,
                   abs(a.value) * b.error + abs(b.value) * a.error + 3 * a.error * b.error);
  }
  friend Bounded operator/(const Bounded& a, const Bounded& b) {
    const oracle50 quotient = a.value / b.value;
    const oracle50 least = abs(b.value) - b.error;
    if (!(4 * b.error <= least)) return Bounded(quotient, std::numeric_limits<double>::infinity());
    // Here v/w is the exact quotient and a/b the computed one. |v/w - a/b| = |(v - a) - (a/b)(w -
    // b)| / |w|, and |a/b| <= (4/3)(|quotient| + a.error / least).
    return rounded(quotient, 2 * (a.error + abs(quotient) * b.error) / least);
  }
  Bounded operator-() const { return Bounded(-value, error); }
  Bounded& operator+=(const Bounded& b) { return *this = *this + b; }
  Bounded& operator*=(const Bounded& b) { return *this = *this * b; }

  /// Returns the square root of x. Let v be the exact argument and a the computed argument, with
  /// |v - a| <= error. Then |sqrt(v) - sqrt(a)| = |v - a| / (sqrt(v) + sqrt(a)). This is at most
  /// error / sqrt(a), and at most sqrt(error).
  friend Bounded sqrt(const Bounded& x) {
    const oracle50 least = x.value - x.error;
    return rounded(sqrt(x.value), x.error == 0       ? oracle50(0)
                                  : least >= x.error ? oracle50(x.error / sqrt(least))
                                                     : sqrt(x.error));
  }
  /// Whether the numbers are equal and their bounds are equal.
  friend bool operator==(const Bounded& a, const Bounded& b) {
    return a.value == b.value && a.error == b.error;
  }
  friend Bounded magnitude(const Bounded& x) { return Bounded(abs(x.value), x.error); }
  friend Bounded larger(const Bounded& a, const Bounded& b) {
    return Bounded(std::max(a.value, b.value), std::max(a.error, b.error));
  }

  /// Returns the sum of the terms. Its bound holds for any order of summation: 2 n u times the sum
  /// of the n terms' magnitudes, plus the terms' own bounds.
  friend Bounded sum(const std::vector<Bounded>& terms) {
    Bounded total;
    oracle50 magnitudes = 0;
    for (const Bounded& term : terms) {
      total.value += term.value;
      total.error += term.error;
      magnitudes += abs(term.value);
    }
    const auto roundings = static_cast<double>(terms.size());
    return rounded(total.value,
                   total.error + roundings * relative_error_per_operation() * magnitudes);
  }
  friend Bounded mean(const std::vector<Bounded>& terms) {
    return sum(terms) / Bounded(static_cast<double>(terms.size()));
  }

  oracle50 value = 0;
  oracle50 error = 0;

 private:
  static const oracle50& relative_error_per_operation() {
    static const oracle50 charged = oracle50(0x1p-167);
    return charged;
  }
  static Bounded rounded(const oracle50& result, const oracle50& propagated) {
    static const oracle50 inflation = 1 + oracle50(0x1p-100);
    return Bounded(result, (propagated + relative_error_per_operation() * abs(result)) * inflation);
  }
};

static_assert(std::numeric_limits<oracle50>::digits == 168);

/// Judges whether `a = b` up to rounding: |a - b| must be within the error bounds of both numbers.
/// Throws    ContractError if the bounds are not finite, because they would accept any pair of
///           numbers
Judgement agree(const Bounded& a, const Bounded& b);
/// Judges whether the lists `a` and `b` agree up to rounding, number by number.
Judgement agree(const std::vector<Bounded>& a, const std::vector<Bounded>& b);

/// Judges whether `a <= b` up to the error bounds of both numbers. The member `attained` of the
/// result is `a / b`.
/// Throws    ContractError as agree
Judgement at_most(const Bounded& a, const Bounded& b);

}  // namespace normproof::verification::claims::engine
