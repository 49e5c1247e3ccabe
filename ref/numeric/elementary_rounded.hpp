#pragma once

#include "ref/numeric/elementary_accurate.hpp"
#include "ref/numeric/elementary_fast.hpp"

/// exp, log, tanh and erf, correctly rounded. If the fast phase does not decide the rounding, the
/// accurate phase computes the result. The functions are inline, for kernels that are compiled for
/// one instruction set or one device.
namespace normproof::ref::numeric {
inline namespace NORMPROOF_ISA {

inline constexpr Int kSignBit = 1ULL << 63;

/// A function whose fast phase, `Fast`, accepts only the arguments in its domain. The accurate
/// phase accepts every argument. try_fast returns a mask of the lanes in which the fast phase
/// decides the result.
template <class Fast, double (*accurate_phase)(double)>
struct RoundedOnDomain {
  NORMPROOF_DEVICE static double accurate(double x) { return accurate_phase(x); }

  template <class V>
  [[gnu::always_inline]] NORMPROOF_DEVICE static Integers<V> try_fast(V x, V* y) {
    return Fast::domain(x) & round_if_decided<Fast>(Fast::evaluate(x), y);
  }
  NORMPROOF_DEVICE static void fast(double x, double* hi, double* lo) {
    const Sum<double> sum = Fast::evaluate(x);
    *hi = sum.hi;
    *lo = sum.lo;
  }
};

/// An odd function that is rounded to 1 for every argument >= `last`. For these arguments the fast
/// phase uses the table row of `last`, which gives 1.
template <const double* table, int last, double (*accurate_phase)(double)>
struct RoundedOddFunction {
  using Fast = TaylorFast<table>;
  NORMPROOF_DEVICE static double accurate(double x) { return accurate_phase(x); }

  template <class V>
  [[gnu::always_inline]] NORMPROOF_DEVICE static Integers<V> try_fast(V x, V* y) {
    const Integers<V> sign = to_bits(x) & kSignBit;
    const V magnitude = from_bits(to_bits(x) ^ sign);
    const V limited = smaller(magnitude, constant<V>(last));
    // Below 2^-900 a product could underflow and lose bits.
    const Integers<V> domain = at_most(constant<V>(0x1p-900), magnitude);
    const Integers<V> decided = round_if_decided<Fast>(Fast::evaluate(limited), y);
    *y = from_bits(to_bits(*y) | sign);
    return domain & decided;
  }
  NORMPROOF_DEVICE static void fast(double x, double* hi, double* lo) {
    const Sum<double> sum = Fast::evaluate(x);
    *hi = sum.hi;
    *lo = sum.lo;
  }
};

using Exp = RoundedOnDomain<ExpFast, exp_accurate>;
using Log = RoundedOnDomain<LogFast, log_accurate>;
using Tanh = RoundedOddFunction<kTanhTable, 20, tanh_accurate>;
using Erf = RoundedOddFunction<kErfTable, 6, erf_accurate>;

/// Returns F(x), correctly rounded.
template <class F>
NORMPROOF_DEVICE inline double evaluate_rounded(double x) {
  double y;
  return all(F::try_fast(x, &y)) ? y : F::accurate(x);
}

}  // namespace NORMPROOF_ISA
}  // namespace normproof::ref::numeric
