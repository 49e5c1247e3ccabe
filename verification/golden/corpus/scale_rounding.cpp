#include "verification/golden/corpus/scale_rounding.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "ref/numeric/errors.hpp"
#include "ref/numeric/operation_error.hpp"
#include "verification/golden/corpus/scaling.hpp"

namespace normproof::verification::golden::corpus {

using ref::numeric::FloatFormat;

namespace {

/// Returns the number to add to the exponent of M. The significand is that of M, 1 <= s < 2.
int rounding_step(double significand, const FloatFormat& format, ScaleRounding rounding) {
  const double of_largest = format.largest / ref::numeric::exact_power_of_two(format.max_exponent);
  switch (rounding) {
    case ScaleRounding::floor:
      return 0;
    case ScaleRounding::up:
      return significand > of_largest ? 1 : 0;
    case ScaleRounding::nearest: {
      const double quotient = significand / of_largest;
      return quotient * quotient < 0.5 ? -1 : quotient * quotient > 2 ? 1 : 0;
    }
    case ScaleRounding::even:
      return significand >= 2 - ref::numeric::exact_power_of_two(-format.digits) ? 1 : 0;
    case ScaleRounding::ceil:
      return significand > 1 ? 1 : 0;
  }
  return 0;
}

}  // namespace

std::string_view to_string(ScaleRounding rounding) {
  switch (rounding) {
    case ScaleRounding::floor:
      return "floor";
    case ScaleRounding::up:
      return "up";
    case ScaleRounding::nearest:
      return "nearest";
    case ScaleRounding::even:
      return "even";
    case ScaleRounding::ceil:
      return "ceil";
  }
  return "";
}

ScaleRounding parse_scale_rounding(std::string_view name) {
  std::vector<std::string> known;
  for (const ScaleRounding rounding : kScaleRoundings) {
    if (to_string(rounding) == name) return rounding;
    known.emplace_back(to_string(rounding));
  }
  throw ref::numeric::UsageError(ref::numeric::unknown_name("scale rounding", name, known));
}

int find_scale_exponent(double largest, const FloatFormat& format, ScaleRounding rounding) {
  constexpr int kBelowAll = -2000;
  if (!(largest > 0)) return block_scale_exponent(kBelowAll, format);
  const int exponent = std::ilogb(largest);
  return block_scale_exponent(
      exponent + rounding_step(std::ldexp(largest, -exponent), format, rounding), format);
}

double quotient_error(ScaleRounding rounding) {
  constexpr double kOfQuotient = ref::numeric::kMaxOperationError * 0x1p-24;
  // The error of a number below 2^8, whose last place is 2^-16, times ln 2.
  constexpr double kOfLogarithm = ref::numeric::kMaxOperationUlps * 0x1p-16 * 0.6931472;
  switch (rounding) {
    case ScaleRounding::up:
      return kOfQuotient;
    case ScaleRounding::nearest:
      return kOfQuotient + kOfLogarithm;
    default:
      return 0;
  }
}

}  // namespace normproof::verification::golden::corpus
