#pragma once

#include "ref/numeric/device_function.hpp"

/// Constants of the fast phase of exp, log, tanh and erf, and of the accurate one. Written by
/// verification/checks/elementary/make_tables from their definitions below; elementary_tables_test.cpp
/// derives them again. RN is rounding to nearest `double`.
namespace normproof::ref::numeric {
inline namespace NORMPROOF_SIDE {

/// exp: row j is hi = RN(2^(j/256)), lo = RN(2^(j/256) - hi).
inline constexpr int kExpRows = 256;
inline constexpr int kExpColumns = 2;

/// log: row i serves m in [begin, end) of log_bin(i): a reciprocal c of at most 9 fractional bits
/// (8 above 1) with |m c - 1| < 2^-8, the multiple hi of 2^-42 nearest to -log(c), RN(-log(c) -
/// hi), and 0. c = 1 where 1 is in the bin or ends it.
inline constexpr int kLogRows = 256;
inline constexpr int kLogColumns = 4;
/// Bits of the `double` where the first bin begins; 2^44 units of the last place a bin.
inline constexpr long long kLogFirst = 0x3fe6a00000000000;

/// tanh, erf: row i belongs to the centre c with 1 + c = the double of bits (1.0's + i 2^45), that
/// is 2^7 centres for every doubling of 1 + c. It holds the Taylor coefficients at c: the zeroth
/// and first as RN and RN of the rest, then the second to the ninth as RN.
inline constexpr int kTaylorColumns = 12;
inline constexpr int kTanhRows = 553;  ///< the last centre is 20
inline constexpr int kErfRows = 353;   ///< the last centre is 6

/// log(2) and 2/sqrt(pi) in limbs of 64 bits, the integer part last, rounded down.
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
#include "ref/numeric/elementary_tables.cpp"  // a device's own, in each source that reads them
#endif
