#pragma once

#include "ref/numeric/device_function.hpp"

/// Constants of the fast and the accurate phase of exp, log, tanh and erf. The program
/// verification/checks/elementary/make_tables computes them from the definitions below, and
/// elementary_tables_test.cpp checks them independently. RN means rounding to the nearest `double`.
namespace normproof::ref::numeric {
inline namespace NORMPROOF_SIDE {

/// The size of the table of exp. Row j holds hi = RN(2^(j/256)) and lo = RN(2^(j/256) - hi).
inline constexpr int kExpRows = 256;
inline constexpr int kExpColumns = 2;

/// The size of the table of log. Row i serves every m in the bin [begin, end) that log_bin(i)
/// returns. It holds four numbers: a reciprocal c of at most 9 fractional bits (8 if c is above 1)
/// with |m c - 1| < 2^-8; hi, the multiple of 2^-42 nearest to -log(c); RN(-log(c) - hi); and 0. If
/// 1 is in the bin or is the bin's end, c = 1.
inline constexpr int kLogRows = 256;
inline constexpr int kLogColumns = 4;
/// The bits of the `double` at which the first bin of the table of log begins. Each bin is 2^44
/// units in the last place wide.
inline constexpr long long kLogFirstBinBits = 0x3fe6a00000000000;

/// The sizes of the tables of tanh and erf. Row i is for the center c. The bits of 1 + c, read as
/// an integer, are the bits of 1.0 plus i 2^45. So each doubling of 1 + c has 2^7 centers. The row
/// holds the Taylor coefficients at c. The zeroth and the first coefficient are stored as two
/// doubles each: the rounded coefficient, and the rounded remainder. The second to the ninth are
/// stored as one rounded double each.
inline constexpr int kTaylorColumns = 12;
inline constexpr int kTanhRows = 553;  ///< the last center is 20
inline constexpr int kErfRows = 353;   ///< the last center is 6

/// The number of 64-bit limbs of the constants log(2) and 2/sqrt(pi), which are rounded down. The
/// last limb is the integer part.
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
// On a GPU, each source file that reads the tables has its own copy.
#include "ref/numeric/elementary_tables.cpp"
#endif
