#include "ref/numeric/any_order_error.hpp"

#include <atomic>

#include "ref/numeric/error_tape.hpp"
#include "ref/numeric/operation_error.hpp"
#include "ref/numeric/power_of_two.hpp"

namespace normproof::ref::numeric {
namespace {

/// Returns a number below the identities of a thread that no other thread uses.
std::uint64_t start_identities() {
  static std::atomic<std::uint64_t> threads{0};
  constexpr int kBitsPerThread = 40;
  return threads++ << kBitsPerThread;
}

thread_local std::uint64_t last_identity = start_identities();
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
  if (ErrorTape* const tape = ErrorTape::current()) tape->record_leaf(*this);
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

std::uint64_t any_order_error::next_identity() {
  return last_identity + 1;
}

any_order_error any_order_error::exact(double v) {
  any_order_error number(v, 0);
  number.assign_identity();
  if (ErrorTape* const tape = ErrorTape::current()) tape->record_leaf(number);
  return number;
}

any_order_error& any_order_error::operator+=(const any_order_error& b) {
  if (b.value == 0 && b.error == 0) return *this;
  if (value == 0 && error == 0) return *this = b;
  if (arithmetic.exact_operations && error == 0 && b.error == 0)
    return *this = exact(value + b.value);
  ErrorTape* const tape = ErrorTape::current();
  ErrorTape::Reference left, right;
  if (tape != nullptr) {
    left = tape->term(*this);
    right = tape->term(b);
  }
  const any_order_error first = tape == nullptr ? any_order_error() : *this;
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
  assign_identity();
  if (tape != nullptr) tape->record_sum(*this, first, left, b, right);
  return *this;
}

any_order_error& any_order_error::operator*=(const any_order_error& b) {
  if (arithmetic.exact_operations && error == 0 && b.error == 0)
    return *this = exact(value * b.value);
  const bool non_negative = least() >= 0 && b.least() >= 0;
  const bool is_square = identity_ != 0 && identity_ == b.identity_;
  const double product_floor = non_negative ? least() * b.least() : 0;
  ErrorTape* const tape = ErrorTape::current();
  ErrorTape::Reference left, right;
  if (tape != nullptr) {
    left = tape->operand(*this);
    right = tape->operand(b);
  }
  // cd - ab = d (c - a) + a (d - b), where c and d are the candidate's factors
  const double error_of_left = tape == nullptr ? 0 : tape->error(left);
  const double error_of_right = tape == nullptr ? 0 : tape->error(right);
  const SlopeRange slope_of_left{b.value, 2 * error_of_right}, slope_of_right{value, error_of_left};
  *this = rounded(value * b.value,
                  max_candidate_magnitude() * b.error + (std::fabs(b.value) + b.error) * error);
  if (non_negative || is_square)
    floor_ = lower_bound_after_rounding(
        product_floor, kMaxOperationError * arithmetic.unit_roundoff, arithmetic.tiny);
  assign_identity();
  if (tape != nullptr) tape->record(*this, left, slope_of_left, right, slope_of_right);
  return *this;
}

any_order_error& any_order_error::operator/=(const any_order_error& b) {
  const double quotient = value / b.value;
  ErrorTape* const tape = ErrorTape::current();
  // Division by a power of two does not round.
  if (b.error == 0 && is_power_of_two(b.value)) {
    if (arithmetic.exact_operations && error == 0) return *this = exact(quotient);
    const double floor = b.value > 0 && least() >= 0
                             ? lower_bound_after_rounding(least() / b.value, 0, arithmetic.tiny)
                             : kUnknown;
    const ErrorTape::Reference dividend =
        tape == nullptr ? ErrorTape::Reference() : tape->operand(*this);
    *this = any_order_error(
        quotient,
        bound_or_infinity(quotient, error / std::fabs(b.value) * kSlack + arithmetic.tiny));
    floor_ = floor;
    assign_identity();
    if (tape != nullptr) tape->record(*this, dividend, {1 / b.value}, arithmetic.tiny, true);
    return *this;
  }
  const double divisor = std::max((std::fabs(b.value) - 2 * b.error) / kSlack, b.floor_);
  // If a value may overflow, it may already be NaN.
  if (!(divisor > 0) || b.error == kInfinite) return *this = any_order_error(quotient, kInfinite);
  const bool non_negative = least() >= 0 && b.least() >= 0;
  const double quotient_floor = non_negative ? least() / b.max_candidate_magnitude() : 0;
  // |v/w - a/b| <= |v - a| / |w| + |a/b| |b - w| / |w|, where v/w is the candidate's quotient and
  // a/b the exact one. Neither |v/w| nor |a/b| exceeds largest_quotient.
  const double largest_quotient = max_candidate_magnitude() / divisor;
  ErrorTape::Reference left, right;
  SlopeRange reciprocal{0};
  if (tape != nullptr) {
    left = tape->operand(*this);
    right = tape->operand(b);
    // c/d - a/b = (c - a) / d - (a/b) (d - b) / d
    const double change = 2 * tape->error(right);
    reciprocal = slope_between(1 / (std::fabs(b.value) + change),
                               1 / std::max((std::fabs(b.value) - change) / kSlack, divisor));
  }
  const double sign = b.value < 0 ? -1 : 1;
  *this = rounded(quotient, std::min((error + largest_quotient * b.error) / divisor,
                                     (non_negative ? 1 : 2) * largest_quotient));
  if (non_negative)
    floor_ = lower_bound_after_rounding(
        quotient_floor, kMaxOperationError * arithmetic.unit_roundoff, arithmetic.tiny);
  assign_identity();
  if (tape != nullptr) {
    // The exact quotient differs from `quotient` by less than the propagated errors.
    const double largest = reciprocal.center + reciprocal.radius;
    const double off = std::min(
        error, (tape->error(left) + std::fabs(quotient) * tape->error(right)) * largest * kSlack);
    const SlopeRange slope_of_divisor{
        -sign * quotient * reciprocal.center,
        (std::fabs(quotient) * reciprocal.radius + off * largest) * kSlack};
    tape->record(*this, left, {sign * reciprocal.center, reciprocal.radius}, right,
                 slope_of_divisor);
  }
  return *this;
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
  result.assign_identity();
  ErrorTape* const tape = ErrorTape::current();
  if (tape == nullptr) return result;
  const ErrorTape::Reference operand = tape->operand(x);
  const double change = 2 * tape->error(operand);
  // sqrt(c) - sqrt(a) = (c - a) / (sqrt(c) + sqrt(a))
  const double lower = 2 * std::sqrt(std::max({x.value - change, x.floor_, 0.0}));
  const double upper = 2 * std::sqrt(x.value + change);
  if (lower > 0)
    tape->record(result, operand, slope_between(1 / upper / kSlack, 1 / lower * kSlack));
  else
    tape->record_leaf(result);
  return result;
}

void VarianceBound::add(const any_order_error& x) {
  double distance = 2 * x.error;  // of the candidate's number from `x.value`
  // The distance of a sum from the mean may be one sum, in any order. The mean is one of its terms.
  if (x.terms_ > 0) {
    const double roundings = x.terms_ * arithmetic.unit_roundoff;
    const double off =
        roundings / (1 - roundings) * (x.magnitude_ + mean_.max_candidate_magnitude());
    distance = (x.error + x.propagated_ + off) * kSlack + x.terms_ * arithmetic.tiny;
  }
  count_ += 1;
  // The square may underflow, by less than the smallest number.
  squared_errors_ += distance * distance + std::numeric_limits<double>::denorm_min();
  magnitude_ += std::fabs(x.value);
}

void VarianceBound::apply_to(any_order_error& variance) const {
  // A distance is rounded once and squared, the square has the error of an operation, the sum has
  // n - 1 roundings, and the quotient has the error of an operation.
  const double roundings = (count_ + 2 * kMaxOperationError + 2) * arithmetic.unit_roundoff;
  // An infinite error means that the arithmetic may overflow.
  if (arithmetic.folded || !(roundings < 0.5) || !std::isfinite(squared_errors_) ||
      !std::isfinite(variance.error))
    return;
  const double error_of_numbers = std::sqrt(squared_errors_ / count_) * kSlack;
  // `variance.value` is the variance of the values plus the square of the error of their mean in
  // double, with fewer than n + 8 roundings. If n is large, k roundings may change a number by more
  // than k unit roundoffs, but by less than 2 k.
  const double own_roundings = 2 * (count_ + 8) * 0x1p-53;
  const double own_mean_error = own_roundings * magnitude_ / count_;
  const double least = variance.value * (1 - own_roundings) - own_mean_error * own_mean_error;
  const double lower = std::sqrt(std::max(least, 0.0)) / kSlack - error_of_numbers;
  if (lower > 0)
    variance.floor_ = std::max(
        variance.floor_, lower_bound_after_rounding(lower * lower, roundings, 4 * arithmetic.tiny));
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
