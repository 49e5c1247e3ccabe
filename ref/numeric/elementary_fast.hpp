#pragma once

#include "ref/numeric/elementary_tables.hpp"
#include "ref/numeric/lanes.hpp"

/// The fast phase of exp, log, tanh and erf, for V = double or a Pack. The result is an unevaluated
/// sum hi + lo with a proved error bound. docs/derivations/elementary.md states the steps and their
/// bounds. Its machine-checked part parses the operations below, so their order must not change.
namespace normproof::ref::numeric {
inline namespace NORMPROOF_ISA {

/// Bounds of the relative error of hi + lo, before hi + lo is rounded. Each bound includes a margin
/// for the rounding test (theorems E, L and T of docs/derivations/elementary.md).
inline constexpr double kExpError = 0x1p-68;
inline constexpr double kLogError = 0x1p-67;
inline constexpr double kTaylorError = 0x1p-65;

/// The number 2^k (hi + lo). `power` holds k, shifted to the position of a double's exponent bits.
template <class V>
struct Sum {
  V hi, lo;
  Integers<V> power;
};

/// The constant 1.5 * 2^52. If it is added to a number k with |k| < 2^51, the low bits of the sum
/// hold k rounded to an integer.
inline constexpr double kShifter = 0x1.8p52;

/// The fast phase of exp.
/// Requires  (C1) |x| <= 708
struct ExpFast {
  static constexpr double kError = kExpError;

  template <class V>
  [[gnu::always_inline]] NORMPROOF_DEVICE static Integers<V> domain(V x) {
    return at_most(x, constant<V>(708)) & at_most(constant<V>(-708), x);
  }

  // This function uses x = k log(2)/256 + r + rl, where r + rl is small and k = 256 m + j, and
  // exp(x) = 2^m 2^(j/256) (1 + r + rl + q), where q is a polynomial in r.
  template <class V>
  [[gnu::always_inline]] NORMPROOF_DEVICE static Sum<V> evaluate(V x) {
    const V shifter = constant<V>(kShifter);
    const V shifted = fused(x, constant<V>(0x1.71547652b82fep+8), shifter);
    const V k = shifted - shifter;
    const Integers<V> n = to_bits(shifted) - to_bits(shifter);
    const V r0 = fused(k, constant<V>(-kLn2Over256Hi), x);
    const V tail = k * constant<V>(kLn2Over256Lo);
    const V r = r0 - tail;
    const V rl = (r0 - r) - tail;
    const V r2 = r * r;
    const V even = fused(r2, constant<V>(0x1.6c16c16c16c17p-10), constant<V>(0x1.5555555555555p-5));
    const V odd = fused(r2, constant<V>(0x1.1111111111111p-7), constant<V>(0x1.5555555555555p-3));
    const V q = r2 * fused(r2, even, fused(r, odd, constant<V>(0.5)));
    const Rows<V, kExpColumns> t(kExpTable, n & (kExpRows - 1ULL));
    const V s = t.column[0] * r;
    const V se = fused(t.column[0], r, -s);
    const V hi = t.column[0] + s;
    const V tl = fused(t.column[1], r, t.column[1]);
    const V lo = ((t.column[0] - hi) + s) + (se + fused(t.column[0], q + rl, tl));
    return {hi, lo, (n & ~(kExpRows - 1ULL)) << 44};
  }

  /// log(2)/256 as a sum: Hi is log(2)/256 rounded down to 33 bits, and Lo is the remainder rounded
  /// to nearest.
  static constexpr double kLn2Over256Hi = 0x1.62e42fefp-9;
  static constexpr double kLn2Over256Lo = 0x1.473de6af278edp-42;
};

/// The fast phase of log.
/// Requires  (C1) x is positive, normal and finite
struct LogFast {
  static constexpr double kError = kLogError;

  template <class V>
  [[gnu::always_inline]] NORMPROOF_DEVICE static Integers<V> domain(V x) {
    return at_most(constant<V>(0x1p-1022), x) & at_most(x, constant<V>(0x1.fffffffffffffp+1023));
  }

  // This function uses x = 2^e m and z = m c - 1, which is exact, where c is a table entry near
  // 1/m, and log(x) = e log(2) - log(c) + z - z^2/2 + z^3 Q(z), where Q is a polynomial.
  template <class V>
  [[gnu::always_inline]] NORMPROOF_DEVICE static Sum<V> evaluate(V x) {
    const V shifter = constant<V>(kShifter);
    const Integers<V> above = to_bits(x) - kLogFirstBinBits;
    const V m = from_bits(to_bits(x) - (above & (~0ULL << 52)));
    // This is the exponent plus 1024. It is not negative, so a logical shift is correct.
    const Integers<V> exponent = (above + (1024ULL << 52)) >> 52;
    const V e = from_bits(to_bits(shifter) + exponent) - (shifter + constant<V>(1024));
    const Rows<V, kLogColumns> t(kLogTable, (above >> 44) & (kLogRows - 1ULL));
    const V z = fused(m, t.column[0], constant<V>(-1));
    const V z2 = z * z;
    const V z2l = fused(z, z, -z2);
    const V z4 = z2 * z2;
    const V q01 = fused(z, constant<V>(-0x1p-2), constant<V>(0x1.5555555555555p-2));
    const V q23 = fused(z, constant<V>(-0x1.5555555555555p-3), constant<V>(0x1.999999999999ap-3));
    const V q45 = fused(z, constant<V>(-0x1p-3), constant<V>(0x1.2492492492492p-3));
    const V q456 = fused(z2, constant<V>(0x1.c71c71c71c71cp-4), q45);
    const V q = fused(z4, q456, fused(z2, q23, q01));
    const V t3 = z2 * (z * q);
    const V h0 = fused(e, constant<V>(kLn2Hi), t.column[1]);
    const V h1 = h0 + z;
    const V l1 = (h0 - h1) + z;
    const V half = constant<V>(-0.5) * z2;
    const V hi = h1 + half;
    const V l2 = (h1 - hi) + half;
    const V low = fused(e, constant<V>(kLn2Lo), t.column[2]);
    const V lo = (l1 + l2) + (fused(constant<V>(-0.5), z2l, t3) + low);
    return {hi, lo, Integers<V>{}};
  }

  /// log(2) as a sum: Hi is log(2) rounded to a multiple of 2^-42, and Lo is the remainder rounded
  /// to nearest.
  static constexpr double kLn2Hi = 0x1.62e42fefa38p-1;
  static constexpr double kLn2Lo = 0x1.ef35793c7673p-45;
};

/// The fast phase of tanh or erf. It evaluates the Taylor polynomial about the nearest of the
/// centers that the table lists.
/// Requires  (C1) 0 <= x <= the last center
template <const double* table>
struct TaylorFast {
  static constexpr double kError = kTaylorError;

  // This function uses f(x) = a0 + a1 d + d^2 p(d), where c is the center nearest to x, d = x - c
  // exactly, and p is a polynomial. If two centers are equally near, c is the lower one. With the
  // upper one, x - 2^-7 would not be exact for an x below 2^-8.
  template <class V>
  [[gnu::always_inline]] NORMPROOF_DEVICE static Sum<V> evaluate(V x) {
    const V one = constant<V>(1);
    const Integers<V> i = (to_bits(one + x) - to_bits(one) + ((1ULL << 44) - 1)) >> 45;
    const V d = x - (from_bits(to_bits(one) + (i << 45)) - one);
    const Rows<V, kTaylorColumns> t(table, i);
    const V d2 = d * d;
    const V d4 = d2 * d2;
    const V p01 = fused(d, t.column[5], t.column[4]);
    const V p23 = fused(d, t.column[7], t.column[6]);
    const V p45 = fused(d, t.column[9], t.column[8]);
    const V p67 = fused(d, t.column[11], t.column[10]);
    const V p = fused(d4, fused(d2, p67, p45), fused(d2, p23, p01));
    const V s = t.column[2] * d;
    const V se = fused(t.column[2], d, -s);
    const V hi = t.column[0] + s;
    const V sel = fused(t.column[3], d, se);
    const V lo = ((t.column[0] - hi) + s) + (sel + fused(d2, p, t.column[1]));
    return {hi, lo, Integers<V>{}};
  }
};

/// Rounds the sum to `*rounded`. Returns a mask: all bits of a lane are set if the rounding is
/// decided there. In the other lanes the accurate phase (elementary_accurate.hpp) must compute the
/// result.
template <class F, class V>
[[gnu::always_inline]] NORMPROOF_DEVICE inline Integers<V> round_if_decided(const Sum<V>& sum,
                                                                            V* rounded) {
  const V error = sum.hi * constant<V>(F::kError);
  const V one_side = sum.hi + (sum.lo + error);
  const V other_side = sum.hi + (sum.lo - error);
  *rounded = from_bits(to_bits(one_side) + sum.power);
  return same(one_side, other_side);
}

}  // namespace NORMPROOF_ISA
}  // namespace normproof::ref::numeric
