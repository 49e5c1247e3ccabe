#include "ref/numeric/any_order_error.hpp"

namespace normproof::ref::numeric {
namespace {

thread_local Arithmetic arithmetic = arithmetic_in(FloatType::float64);

/// Each operation of a candidate but addition may be off by 2 units in the last place.
constexpr double kUnits = 4;
/// Covers the roundings of the bound itself.
constexpr double kSlack = 1 + 0x1p-45;
constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// Whether the format of this scope holds v: its leading digits by Veltkamp's splitting [Dek71].
bool is_representable(double v) {
  const double scaled = v * 0x1p-53;  // no overflow below
  const double factor = arithmetic.unit_roundoff * 0x1p+53 + 1;
  const double wide = scaled * factor;
  const double magnitude = std::fabs(v);
  return v == 0 || (arithmetic.tiny <= magnitude && magnitude <= arithmetic.largest &&
                    wide - (wide - scaled) == scaled);
}

double claimed(double result, double error) {
  // 0 times an infinite error is NaN: no bound is known there either.
  const bool fits = std::fabs(result) + 2 * error <= arithmetic.largest;
  return fits && error == error ? error : kInfinite;
}

}  // namespace

any_order_error::any_order_error(double v) : value(v) {
  if (arithmetic.input_roundoff > 0)
    error = claimed(v, arithmetic.input_roundoff * std::fabs(v));
  else if (!is_representable(v))
    error = claimed(v, arithmetic.unit_roundoff * std::fabs(v) * kSlack + arithmetic.tiny);
}

any_order_error any_order_error::rounded(double result, double propagated) {
  const double u = kUnits * arithmetic.unit_roundoff;
  const double e =
      (propagated + u * (std::fabs(result) + 2 * propagated)) * kSlack + arithmetic.tiny;
  return any_order_error(result, claimed(result, e));
}

any_order_error& any_order_error::operator+=(const any_order_error& b) {
  if (b.value == 0 && b.error == 0) return *this;
  if (value == 0 && error == 0) return *this = b;
  const bool open = terms_ > 0, b_open = b.terms_ > 0;
  terms_ = (open ? terms_ : 1) + (b_open ? b.terms_ : 1);
  magnitude_ = ((open ? magnitude_ : largest_candidate()) +
                (b_open ? b.magnitude_ : b.largest_candidate())) *
               kSlack;
  propagated_ = ((open ? propagated_ : error) + (b_open ? b.propagated_ : b.error)) * kSlack;
  value += b.value;
  const double roundings = (terms_ - 1) * arithmetic.unit_roundoff;
  const double off = roundings / (1 - roundings) * magnitude_;
  // No partial sum of any order is larger: it may overflow where the whole sum does not.
  const bool fits = roundings < 0.5 && magnitude_ + off <= arithmetic.largest;
  error = fits ? claimed(value, (propagated_ + off) * kSlack + (terms_ - 1) * arithmetic.tiny)
               : kInfinite;
  return *this;
}

any_order_error& any_order_error::operator/=(const any_order_error& b) {
  const double quotient = value / b.value;
  const double least = (std::fabs(b.value) - 2 * b.error) / kSlack;
  if (!(least > 0)) return *this = any_order_error(quotient, kInfinite);
  // |v/w - a/b| <= |v - a| / |w| + |a/b| |b - w| / |w|
  const double largest_quotient = largest_candidate() / least;
  return *this = rounded(quotient, (error + largest_quotient * b.error) / least);
}

any_order_error sqrt(const any_order_error& x) {
  const double root = std::sqrt(x.value);
  const double least = x.value - x.error;
  const double absolute = std::sqrt(x.error);
  if (x.error == 0) return any_order_error::rounded(root, 0);
  const double relative = least > 0 ? x.error / std::sqrt(least) : absolute;
  return any_order_error::rounded(root, relative <= absolute ? relative : absolute);
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
