#pragma once

#include <cmath>

#include "ref/model/norm_options.hpp"
#include "ref/numeric/errors.hpp"

namespace normproof::verification::golden::plain {

/// A number in a low-precision format. Every operation rounds its result to the nearest number of
/// the format.
///
/// Computes  in `double`, then rounds once. Sums, products, quotients and roots are correctly
///           rounded [Fig95], because `53 >= 2 p + 2` for a format with p digits; other functions
///           are within 1 ulp
template <ref::model::StorageFormat format>
class LowPrecisionNumber {
 public:
  LowPrecisionNumber() = default;
  LowPrecisionNumber(double v)
      : value_(ref::numeric::round_to(ref::numeric::float_format_info(format), v)) {}
  LowPrecisionNumber(int v) : LowPrecisionNumber(static_cast<double>(v)) {}
  explicit operator double() const { return value_; }

  LowPrecisionNumber operator-() const { return LowPrecisionNumber(-value_); }
  LowPrecisionNumber& operator+=(LowPrecisionNumber b) {
    return *this = LowPrecisionNumber(value_ + b.value_);
  }
  LowPrecisionNumber& operator-=(LowPrecisionNumber b) {
    return *this = LowPrecisionNumber(value_ - b.value_);
  }
  LowPrecisionNumber& operator*=(LowPrecisionNumber b) {
    return *this = LowPrecisionNumber(value_ * b.value_);
  }
  LowPrecisionNumber& operator/=(LowPrecisionNumber b) {
    return *this = LowPrecisionNumber(value_ / b.value_);
  }
  friend LowPrecisionNumber operator+(LowPrecisionNumber a, LowPrecisionNumber b) { return a += b; }
  friend LowPrecisionNumber operator-(LowPrecisionNumber a, LowPrecisionNumber b) { return a -= b; }
  friend LowPrecisionNumber operator*(LowPrecisionNumber a, LowPrecisionNumber b) { return a *= b; }
  friend LowPrecisionNumber operator/(LowPrecisionNumber a, LowPrecisionNumber b) { return a /= b; }
  friend auto operator<=>(LowPrecisionNumber a, LowPrecisionNumber b) = default;

  friend LowPrecisionNumber sqrt(LowPrecisionNumber x) { return std::sqrt(x.value_); }
  friend LowPrecisionNumber exp(LowPrecisionNumber x) { return std::exp(x.value_); }
  friend LowPrecisionNumber exp2(LowPrecisionNumber x) { return std::exp2(x.value_); }
  friend LowPrecisionNumber log(LowPrecisionNumber x) { return std::log(x.value_); }
  friend LowPrecisionNumber tanh(LowPrecisionNumber x) { return std::tanh(x.value_); }
  friend LowPrecisionNumber erf(LowPrecisionNumber x) { return std::erf(x.value_); }
  friend LowPrecisionNumber erfc(LowPrecisionNumber x) { return std::erfc(x.value_); }

 private:
  double value_ = 0;
};

/// Calls f with a number of the type that computes in the format.
/// Requires  (C1) a format that is used for arithmetic: more than 8 bits
/// Throws    ContractError
template <class F>
auto in_arithmetic(ref::model::StorageFormat format, F f) {
  using ref::model::StorageFormat;
  switch (format) {
    case StorageFormat::float64:
      return f(double{});
    case StorageFormat::tf32:
      return f(LowPrecisionNumber<StorageFormat::tf32>());
    case StorageFormat::bfloat16:
      return f(LowPrecisionNumber<StorageFormat::bfloat16>());
    case StorageFormat::float16:
      return f(LowPrecisionNumber<StorageFormat::float16>());
    case StorageFormat::float8_e4m3fn:
    case StorageFormat::float8_e5m2:
    case StorageFormat::int8:
    case StorageFormat::float4_e2m1fn:
      ref::numeric::contract_failure("in_arithmetic", "format", "has 8 bits or fewer",
                                     "a format that somebody computes in",
                                     ref::numeric::Clause::C1);
    case StorageFormat::float32:
      break;
  }
  return f(float{});
}

}  // namespace normproof::verification::golden::plain
