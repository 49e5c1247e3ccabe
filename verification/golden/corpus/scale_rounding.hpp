#pragma once

#include <string_view>

#include "ref/numeric/float_format.hpp"

namespace normproof::verification::golden::corpus {

/// How the scale of a block, a power of two, follows from the largest magnitude M of the block.
/// Let `largest` be the largest number of the format of the elements, and 2^emax its largest power
/// of two.
/// - `floor`: 2^(floor(log2 M) - emax), as in [RZM+23]. Elements that exceed the format saturate.
/// - `up`: the smallest power of two that is at least M / largest, so that no element saturates. It
///   is the convention of cuBLAS, CUTLASS and Transformer Engine, and RCEIL of torchao.
/// - `nearest`: 2^round(log2(M / largest)), as MLX before August 2026.
/// - `even`: as `floor`, for M rounded to the digits of the format. It is EVEN of torchao.
/// - `ceil`: 2^(ceil(log2 M) - emax). It is CEIL of torchao.
enum class ScaleRounding { floor, up, nearest, even, ceil };
inline constexpr ScaleRounding kScaleRoundings[] = {ScaleRounding::floor, ScaleRounding::up,
                                                    ScaleRounding::nearest, ScaleRounding::even,
                                                    ScaleRounding::ceil};
std::string_view to_string(ScaleRounding rounding);
/// Returns the rounding of that name.
/// Throws    UsageError with the nearest known name
ScaleRounding parse_scale_rounding(std::string_view name);

/// Returns the exponent of the scale of a block whose largest magnitude is `largest`, from -127 to
/// 127. The exponent never falls if the magnitude grows. It is -127 for a block of zeros.
/// Requires  `largest` is finite and not negative
int find_scale_exponent(double largest, const ref::numeric::FloatFormat& format,
                        ScaleRounding rounding);

/// Returns the relative error that M / largest may have in a correct kernel. The roundings `floor`,
/// `even` and `ceil` depend on the bits of M and have none. For `up`, it is the error of a quotient
/// in float32. For `nearest`, the logarithm of the quotient may be off by 2 units in the last place
/// too. Its magnitude is below 2^8.
double quotient_error(ScaleRounding rounding);

}  // namespace normproof::verification::golden::corpus
