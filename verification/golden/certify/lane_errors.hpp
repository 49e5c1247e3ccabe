#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "ref/numeric/any_order_error.hpp"
#include "ref/numeric/operation_error.hpp"
#include "verification/golden/certify/lanes.hpp"

/// The error bounds of any_order_error for eight elements at once, and for sums of many.
namespace normproof::verification::golden::certify {

/// The error bounds of single operations, as in any_order_error, for eight elements at once.
class LaneErrors {
 public:
  explicit LaneErrors(const ref::numeric::Arithmetic& a)
      : u_(a.unit_roundoff),
        tiny_(a.tiny),
        below_tiny_(std::nextafter(a.tiny, 0)),
        largest_(a.largest),
        folded_(a.folded) {}

  /// Returns the error of an input that the format can represent unless it is subnormal.
  Lanes of_input(const Lanes& v) const {
    const Lanes size = magnitude_of(v);
    LaneMask is_inexact = is_at_most(size, below_tiny_);
    is_inexact &= ~is_zero(v);
    return zero_unless(is_inexact, u_ * size * kSlack + tiny_);
  }
  /// Returns the error of a product with the value `product`. a and b are the magnitudes of the
  /// factors, and a_error and b_error their errors.
  Lanes of_product(const Lanes& product, const Lanes& a, const Lanes& a_error, const Lanes& b,
                   const Lanes& b_error) {
    const Lanes propagated = (a + 2 * a_error) * b_error + (b + b_error) * a_error;
    const Lanes u = fill(ref::numeric::kMaxOperationError * u_);
    const Lanes size = magnitude_of(product);
    const Lanes error = (propagated + u * (size + 2 * propagated)) * kSlack + tiny_;
    note(size + 2 * error);
    return error;
  }
  /// Returns the error of a sum or a difference with the value `sum`. `propagated` is the sum of
  /// the errors of its terms and `magnitudes` the sum of the largest magnitudes that they may have.
  Lanes of_sum(const Lanes& sum, const Lanes& propagated, const Lanes& magnitudes,
               double additions) {
    const double roundings = additions * u_;
    const Lanes size = magnitude_of(sum);
    const Lanes rounded = additions > 1 || folded_ ? magnitudes : size + 2 * propagated;
    const Lanes error =
        (propagated + roundings / (1 - roundings) * rounded) * kSlack + additions * tiny_;
    note(magnitudes + error);
    return error;
  }
  /// Whether no number of the operations so far may overflow. This is false if one was NaN.
  bool all_fit() const { return is_true_everywhere(fits_); }

 private:
  /// A factor that covers the rounding errors in the computation of a bound.
  static constexpr double kSlack = 1 + 0x1p-45;

  void note(const Lanes& largest) { fits_ &= is_at_most(largest, largest_); }

  double u_, tiny_, below_tiny_, largest_;
  bool folded_;
  LaneMask fits_ = is_zero(Lanes{});
};

/// The totals of the terms of a sum.
struct Totals {
  Lanes value{}, terms{}, magnitude{}, propagated{};

  void add(const Lanes& v, const Lanes& error) {
    value += v;
    terms += zero_where(is_zero(magnitude_of(v) + error), fill(1));
    magnitude += magnitude_of(v) + 2 * error;
    propagated += error;
  }
};

/// Returns the error bound of a sum whose terms have the given totals. `additions` is the number of
/// additions that one term takes part in, and `terms` the number of terms.
inline double sum_error(const ref::numeric::Arithmetic& a, double additions, double terms,
                        double magnitude, double propagated) {
  // Covers the rounding errors of the totals, which are sums of numbers that are not negative.
  const double slack = 1 + (terms + 64) * 0x1p-51;
  const double roundings = std::max(additions, 0.0) * a.unit_roundoff;
  const double off = roundings / (1 - roundings) * magnitude * slack;
  if (!(roundings < 0.5) || !(magnitude * slack + off <= a.largest))
    return std::numeric_limits<double>::infinity();
  return (propagated + off) * slack + std::max(additions, 0.0) * a.tiny;
}

}  // namespace normproof::verification::golden::certify
