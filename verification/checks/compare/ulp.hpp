#pragma once

#include <cstdint>
#include <limits>

namespace normproof::verification::checks::compare {

/// Farther than any two numbers are: the distance of NaN from everything, itself included.
inline constexpr std::uint64_t kInfinitelyFar = std::numeric_limits<std::uint64_t>::max();

/// How many steps from one double to its neighbour lead from a to b. Both zeros are one point;
/// subnormals count like all others; an infinity is one step beyond the largest finite double.
/// Example   ulp_distance(1, 1 + 2^-52) == 1
///           ulp_distance(-2^-1074, 2^-1074) == 2
///           ulp_distance(DBL_MAX, infinity) == 1
///           ulp_distance(NaN, NaN) == kInfinitelyFar
std::uint64_t ulp_distance(double a, double b);

/// Whether a and b are the same bits, or both NaN: which NaN an operation gives is not promised.
bool same_number(double a, double b);

/// The distance from |x| to the next double away from zero: 2^-1074 at zero and for subnormals,
/// 2^971 at the largest finite double.
/// Requires  x finite; otherwise NaN
double ulp(double x);

}  // namespace normproof::verification::checks::compare
