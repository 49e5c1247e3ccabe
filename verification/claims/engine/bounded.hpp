#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "verification/claims/engine/property.hpp"

namespace normproof::verification::claims::engine {

/// A 50-digit number together with a bound of its distance from the exact result: the running error
/// analysis of ref/numeric/running_error.hpp, one precision up. What a claim computes with, where a
/// tolerance must follow from the precision and the terms at hand.
///
/// Source    [Hig02] section 3.3
/// Error     each operation is charged 2u = 2^-167 of its result and inflates the bound by
///           1 + 2^-100, which covers the bound's own rounding. Any other 50-digit evaluation of
///           the same operations, its sums in any order, lies within the bound too: its operands
///           are within their bounds, and its results at most twice these or less than their
///           bounds. MPFR's exponents leave no underflow to cover.
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
    // |v/w - a/b| = |(v - a) - (a/b)(w - b)| / |w|, and |a/b| <= (4/3)(|quotient| + a.error /
    // least)
    return rounded(quotient, 2 * (a.error + abs(quotient) * b.error) / least);
  }
  Bounded operator-() const { return Bounded(-value, error); }
  Bounded& operator+=(const Bounded& b) { return *this = *this + b; }
  Bounded& operator*=(const Bounded& b) { return *this = *this * b; }

  /// |sqrt(v) - sqrt(a)| = |v - a| / (sqrt(v) + sqrt(a)) <= error / sqrt(a), and <= sqrt(error).
  friend Bounded sqrt(const Bounded& x) {
    const oracle50 least = x.value - x.error;
    return rounded(sqrt(x.value), x.error == 0       ? oracle50(0)
                                  : least >= x.error ? oracle50(x.error / sqrt(least))
                                                     : sqrt(x.error));
  }
  /// Whether number and bound are the same.
  friend bool operator==(const Bounded& a, const Bounded& b) {
    return a.value == b.value && a.error == b.error;
  }
  friend Bounded magnitude(const Bounded& x) { return Bounded(abs(x.value), x.error); }
  friend Bounded larger(const Bounded& a, const Bounded& b) {
    return Bounded(std::max(a.value, b.value), std::max(a.error, b.error));
  }

  /// The sum in any order: n u of the terms' magnitudes, charged twice, and what they bring along.
  friend Bounded sum(const std::vector<Bounded>& terms) {
    Bounded total;
    oracle50 magnitudes = 0;
    for (const Bounded& term : terms) {
      total.value += term.value;
      total.error += term.error;
      magnitudes += abs(term.value);
    }
    const auto roundings = static_cast<double>(terms.size());
    return rounded(total.value, total.error + roundings * charge() * magnitudes);
  }
  friend Bounded mean(const std::vector<Bounded>& terms) {
    return sum(terms) / Bounded(static_cast<double>(terms.size()));
  }

  oracle50 value = 0;
  oracle50 error = 0;

 private:
  static const oracle50& charge() {
    static const oracle50 charged = oracle50(0x1p-167);
    return charged;
  }
  static Bounded rounded(const oracle50& result, const oracle50& propagated) {
    static const oracle50 inflation = 1 + oracle50(0x1p-100);
    return Bounded(result, (propagated + charge() * abs(result)) * inflation);
  }
};

static_assert(std::numeric_limits<oracle50>::digits == 168);

/// a and b may be one number: |a - b| is within what rounding may have done to both.
/// Throws    ContractError where that is not finite: such a bound would pass anything
Judgement agree(const Bounded& a, const Bounded& b);
/// Each number of a agrees with that of b.
Judgement agree(const std::vector<Bounded>& a, const std::vector<Bounded>& b);

/// a <= b, but for what rounding may have done to both; attained is the share a / b.
/// Throws    ContractError as agree
Judgement at_most(const Bounded& a, const Bounded& b);

}  // namespace normproof::verification::claims::engine
