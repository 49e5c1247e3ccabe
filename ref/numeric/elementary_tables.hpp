#pragma once

#include "ref/numeric/device_function.hpp"

/// Constants of the fast and the accurate phase of exp, log, tanh and erf.
/// verification/checks/elementary/make_tables writes them from the definitions below;
/// elementary_tables_test.cpp derives them again. RN is rounding to the nearest `double`.
namespace normproof::ref::numeric {
inline namespace NORMPROOF_SIDE {

/// The table of exp: row j is hi = RN(2^(j/256)), lo = RN(2^(j/256) - hi).
inline constexpr int kExpRows = 256;
inline constexpr int kExpColumns = 2;

/// The table of log: row i is for m in [begin, end) of log_bin(i). It holds a reciprocal c of at
/// most 9 fractional bits (8 above 1) with |m c - 1| < 2^-8; the multiple hi of 2^-42 nearest to
/// -log(c); RN(-log(c) - hi); and 0. c = 1 if 1 is in the bin or is its end.
inline constexpr int kLogRows = 256;
inline constexpr int kLogColumns = 4;
/// The bits of the `double` at which the first bin begins. A bin is 2^44 units in the last place
/// wide.
inline constexpr long long kLogFirst = 0x3fe6a00000000000;

/// The tables of tanh and erf: row i is for the center c, where the bits of 1 + c are those of 1.0
/// plus i 2^45. So each doubling of 1 + c has 2^7 centers. The row holds the Taylor coefficients at
/// c: the zeroth and first as RN and RN of the rest, the second to the ninth as RN.
inline constexpr int kTaylorColumns = 12;
inline constexpr int kTanhRows = 553;  ///< the last center is 20
inline constexpr int kErfRows = 353;   ///< the last center is 6

/// log(2) and 2/sqrt(pi) in limbs of 64 bits, rounded down; the last limb is the integer part.
inline constexpr int kConstantLimbs = 33;

#if !defined(__CUDACC__)
extern const double kExpTable[kExpRows * kExpColumns];
extern const double kLogTable[kLogRows * kLogColumns];
extern const double kTanhTable[kTanhRows * kTaylorColumns];
extern const double kErfTable[kErfRows * kTaylorColumns];
extern const unsigned long long kLn2[kConstantLimbs];
extern const unsigned long long kTwoOverRootPi[kConstantLimbs];
#endif

}  // namespace NORMPROOF_SIDE
}  // namespace normproof::ref::numeric

#if defined(__CUDACC__)
// A device has its own copy in each source that reads them.
#include "ref/numeric/elementary_tables.cpp"
#endif
