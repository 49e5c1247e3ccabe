#include "ref/numeric/any_order_error.hpp"

#include "ref/numeric/operation_error.hpp"
#include "ref/numeric/power_of_two.hpp"

namespace normproof::ref::numeric {
namespace {

thread_local std::uint64_t last_identity = 0;
thread_local Arithmetic arithmetic = arithmetic_of_type(FloatType::float64);

/// A factor that covers the rounding errors in the computation of the bound itself.
constexpr double kSlack = 1 + 0x1p-45;
constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// Whether a number of this magnitude is normal, or is a multiple of the spacing of subnormal
/// numbers. If the format keeps subnormal numbers, this spacing is half of `arithmetic.tiny`.
bool is_on_grid(double magnitude) {
  // In IEEE 754 formats the largest number is (1 - u) times a power of two, and the smallest normal
  // number is 4 divided by that power of two.
  const double least_normal = 4 * (1 - arithmetic.unit_roundoff) / arithmetic.largest;
  return arithmetic.tiny >= least_normal || magnitude >= least_normal ||
         std::fmod(magnitude, arithmetic.tiny / 2) == 0;
}

/// Whether the current format can represent v. The leading digits of v are computed by Veltkamp's
/// splitting [Dek71].
bool is_representable(double v) {
  const double scaled = v * 0x1p-53;  // scaled so that nothing below overflows
  const double factor = arithmetic.unit_roundoff * 0x1p+53 + 1;
  const double wide = scaled * factor;
  const double magnitude = std::fabs(v);
  return v == 0 || (arithmetic.tiny <= magnitude && magnitude <= arithmetic.largest &&
                    is_on_grid(magnitude) && wide - (wide - scaled) == scaled);
}

double bound_or_infinity(double result, double error) {
  // 0 times an infinite error gives NaN. That also means that no bound is known.
  const bool fits = std::fabs(result) + 2 * error <= arithmetic.largest;
  return fits && error == error ? error : kInfinite;
}

/// Returns a lower bound of a rounded number. `least` is a lower bound of the number before
/// rounding. Rounding decreased the number at most by the fraction `roundoff` of its value plus the
/// amount `lost`, which covers underflow. The bound is not negative.
double lower_bound_after_rounding(double least, double roundoff, double lost) {
  const double left = least * (1 - roundoff) / kSlack - lost;
  return left > 0 ? left : 0;
}

}  // namespace

any_order_error::any_order_error(double v) : value(v) {
  assign_identity();
  if (std::isnan(v)) {
    constexpr double kArbitrary = 0.75;
    value = kArbitrary;
    error = kInfinite;
  } else if (arithmetic.input_roundoff > 0)
    error = bound_or_infinity(v, arithmetic.input_roundoff * std::fabs(v));
  else if (!is_representable(v))
    error =
        bound_or_infinity(v, arithmetic.unit_roundoff * std::fabs(v) * kSlack + arithmetic.tiny);
}

any_order_error any_order_error::rounded(double result, double propagated) {
  const double u = kMaxOperationError * arithmetic.unit_roundoff;
  const double e =
      (propagated + u * (std::fabs(result) + 2 * propagated)) * kSlack + arithmetic.tiny;
  return any_order_error(result, bound_or_infinity(result, e));
}

any_order_error& any_order_error::assign_identity() {
  identity_ = ++last_identity;
  return *this;
}

any_order_error any_order_error::exact(double v) {
  return any_order_error(v, 0).assign_identity();
}

any_order_error& any_order_error::operator+=(const any_order_error& b) {
  if (b.value == 0 && b.error == 0) return *this;
  if (value == 0 && error == 0) return *this = b;
  if (arithmetic.exact_operations && error == 0 && b.error == 0)
    return *this = exact(value + b.value);
  const bool open = terms_ > 0, b_open = b.terms_ > 0;
  const double sum_floor = least() + b.least();
  // For a sum to which terms may be added, this is whether none of its terms is negative.
  const auto is_not_negative = [](const any_order_error& x) {
    return (x.terms_ > 0 ? x.floor_ : x.least()) >= 0;
  };
  const bool non_negative = is_not_negative(*this) && is_not_negative(b);
  terms_ = (open ? terms_ : 1) + (b_open ? b.terms_ : 1);
  magnitude_ = ((open ? magnitude_ : max_candidate_magnitude()) +
                (b_open ? b.magnitude_ : b.max_candidate_magnitude())) *
               kSlack;
  propagated_ = ((open ? propagated_ : error) + (b_open ? b.propagated_ : b.error)) * kSlack;
  value += b.value;
  const double roundings = (terms_ - 1) * arithmetic.unit_roundoff;
  // Two terms can be added in only one order, so the candidate's sum of them differs from `value`
  // only by the errors of the two terms and by rounding.
  const double rounded_sums =
      !open && !b_open && !arithmetic.folded ? std::fabs(value) + 2 * propagated_ : magnitude_;
  const double off = roundings / (1 - roundings) * rounded_sums;
  // The condition bounds every partial sum in any order, because a partial sum may overflow even if
  // the whole sum does not.
  const bool fits = roundings < 0.5 && magnitude_ + off <= arithmetic.largest;
  error =
      fits ? bound_or_infinity(value, (propagated_ + off) * kSlack + (terms_ - 1) * arithmetic.tiny)
           : kInfinite;
  // If no term is negative, each rounding loses at most the fraction u of the sum, in any order.
  // Small sums lose no more, because a sum of two numbers of the format cannot underflow. The sum
  // is at least the sum of the known lower bounds, because the `error` of each part covers the
  // errors of its terms. If a term is negative, a fraction u of the larger terms may be lost, so no
  // lower bound is known.
  floor_ = non_negative ? lower_bound_after_rounding(sum_floor, roundings, 0) : kUnknown;
  return assign_identity();
}

any_order_error& any_order_error::operator*=(const any_order_error& b) {
  if (arithmetic.exact_operations && error == 0 && b.error == 0)
    return *this = exact(value * b.value);
  const bool non_negative = least() >= 0 && b.least() >= 0;
  const bool is_square = identity_ != 0 && identity_ == b.identity_;
  const double product_floor = non_negative ? least() * b.least() : 0;
  *this = rounded(value * b.value,
                  max_candidate_magnitude() * b.error + (std::fabs(b.value) + b.error) * error);
  if (non_negative || is_square)
    floor_ = lower_bound_after_rounding(
        product_floor, kMaxOperationError * arithmetic.unit_roundoff, arithmetic.tiny);
  return assign_identity();
}

any_order_error& any_order_error::operator/=(const any_order_error& b) {
  const double quotient = value / b.value;
  // Division by a power of two does not round.
  if (b.error == 0 && is_power_of_two(b.value)) {
    if (arithmetic.exact_operations && error == 0) return *this = exact(quotient);
    const double floor = b.value > 0 && least() >= 0
                             ? lower_bound_after_rounding(least() / b.value, 0, arithmetic.tiny)
                             : kUnknown;
    *this = any_order_error(
        quotient,
        bound_or_infinity(quotient, error / std::fabs(b.value) * kSlack + arithmetic.tiny));
    floor_ = floor;
    return assign_identity();
  }
  const double divisor = std::max((std::fabs(b.value) - 2 * b.error) / kSlack, b.floor_);
  // If a value may overflow, it may already be NaN.
  if (!(divisor > 0) || b.error == kInfinite) return *this = any_order_error(quotient, kInfinite);
  const bool non_negative = least() >= 0 && b.least() >= 0;
  const double quotient_floor = non_negative ? least() / b.max_candidate_magnitude() : 0;
  // |v/w - a/b| <= |v - a| / |w| + |a/b| |b - w| / |w|, where v/w is the candidate's quotient and
  // a/b the exact one. Neither |v/w| nor |a/b| exceeds largest_quotient.
  const double largest_quotient = max_candidate_magnitude() / divisor;
  *this = rounded(quotient, std::min((error + largest_quotient * b.error) / divisor,
                                     (non_negative ? 1 : 2) * largest_quotient));
  if (non_negative)
    floor_ = lower_bound_after_rounding(
        quotient_floor, kMaxOperationError * arithmetic.unit_roundoff, arithmetic.tiny);
  return assign_identity();
}

any_order_error sqrt(const any_order_error& x) {
  const double root = std::sqrt(x.value);
  const double least = std::max(x.value - x.error, x.floor_);
  const double absolute = std::sqrt(x.error);
  any_order_error result;
  if (x.error == 0) {
    result = any_order_error::rounded(root, 0);
  } else {
    const double relative = least > 0 ? x.error / std::sqrt(least) : absolute;
    result = any_order_error::rounded(root, std::min(relative, absolute));
  }
  result.floor_ =
      lower_bound_after_rounding(x.least() > 0 ? std::sqrt(x.least()) : 0,
                                 kMaxOperationError * arithmetic.unit_roundoff, arithmetic.tiny);
  return result.assign_identity();
}

AnyOrderArithmetic::AnyOrderArithmetic(const Arithmetic& chosen) : previous_(arithmetic) {
  arithmetic = chosen;
}

AnyOrderArithmetic::~AnyOrderArithmetic() {
  arithmetic = previous_;
}

const Arithmetic& AnyOrderArithmetic::current() {
  return arithmetic;
}

}  // namespace normproof::ref::numeric
