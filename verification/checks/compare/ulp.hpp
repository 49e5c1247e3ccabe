#pragma once

#include <cstdint>
#include <limits>

namespace normproof::verification::checks::compare {

/// The result of ulp_distance if an argument is NaN, even if both are. It is larger than the
/// distance of any two numbers.
inline constexpr std::uint64_t kInfiniteUlpDistance = std::numeric_limits<std::uint64_t>::max();

/// Returns the number of steps that lead from a to b. One step leads from a double to a neighboring
/// double. +0 and -0 count as the same number. Subnormals count like all other numbers, and an
/// infinity is one step beyond the largest finite double.
/// Example   ulp_distance(1, 1 + 2^-52) == 1
///           ulp_distance(-2^-1074, 2^-1074) == 2
///           ulp_distance(DBL_MAX, infinity) == 1
///           ulp_distance(NaN, NaN) == kInfiniteUlpDistance
std::uint64_t ulp_distance(double a, double b);

/// Whether a and b have the same bits or are both NaN. (Operations may give any NaN.)
bool is_same_number(double a, double b);

/// Returns the distance from |x| to the next larger double: 2^-1074 for zero and subnormals, 2^971
/// for the largest finite double. The result is NaN if x is not finite.
double ulp(double x);

}  // namespace normproof::verification::checks::compare
