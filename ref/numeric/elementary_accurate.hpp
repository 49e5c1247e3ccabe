#pragma once

#include "ref/numeric/device_function.hpp"

namespace normproof::ref::numeric {
inline namespace NORMPROOF_SIDE {

/// The accurate phase of exp, log, tanh and erf. The result is correctly rounded for every
/// argument, including special values. It uses only integer arithmetic and takes some microseconds.
///
/// Source    [Ziv91]: enclosures of growing precision until both ends round to the same double
/// Computes  the double nearest to f(x), ties to even; f(NaN) = NaN, log(x < 0) = NaN, log(+-0) =
///           -inf, exp(+-0) = 1, tanh(+-0) = erf(+-0) = +-0
/// Requires  (C1) 2 <= first_limbs <= 33. The first attempt has 64 (first_limbs - 1) fractional
///           bits, each later one about twice as many
/// Throws    std::logic_error if 2048 fractional bits do not decide the rounding (a GPU traps
///           instead); no such argument is known
NORMPROOF_DEVICE double exp_accurate(double x, int first_limbs);
NORMPROOF_DEVICE double log_accurate(double x, int first_limbs);
NORMPROOF_DEVICE double tanh_accurate(double x, int first_limbs);
NORMPROOF_DEVICE double erf_accurate(double x, int first_limbs);

inline constexpr int kInitialLimbs = 3;
NORMPROOF_DEVICE_CALLED double exp_accurate(double x);
NORMPROOF_DEVICE_CALLED double log_accurate(double x);
NORMPROOF_DEVICE_CALLED double tanh_accurate(double x);
NORMPROOF_DEVICE_CALLED double erf_accurate(double x);

}  // namespace NORMPROOF_SIDE
}  // namespace normproof::ref::numeric
