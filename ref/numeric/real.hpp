#pragma once

#include <concepts>
#include <type_traits>

#include "ref/numeric/any_order_error.hpp"
#include "ref/numeric/running_error.hpp"
// If NORMPROOF_DOUBLE_ONLY is defined, `double` is the only scalar type and no library is needed.
// So the same sources compile for any processor (verification/checks/determinism). All sources of a
// program must agree on this macro.
#ifndef NORMPROOF_DOUBLE_ONLY
#include <boost/multiprecision/cpp_int.hpp>
#include <boost/multiprecision/mpfi.hpp>
#include <boost/multiprecision/mpfr.hpp>

#include "ref/numeric/ball.hpp"
#include "ref/numeric/complex.hpp"
#include "ref/numeric/dual.hpp"
#endif

namespace normproof::ref::numeric {

template <class T, class... Ts>
inline constexpr bool is_one_of = (std::is_same_v<T, Ts> || ...);

/// Whether T is a double with a bound of its rounding error.
template <class T>
inline constexpr bool has_error_bound = is_one_of<T, running_error, any_order_error>;

#ifdef NORMPROOF_DOUBLE_ONLY

class ball;
template <class T>
inline constexpr bool is_enclosure = false;
template <class T>
concept Real = std::is_same_v<T, double>;
#define NORMPROOF_FOR_EACH_REAL(M) M(double)

#else

namespace mp = boost::multiprecision;

/// oracle50 and oracle100 are numbers of 50 and 100 decimal digits. MPFR rounds every operation
/// correctly.
using oracle50 = mp::number<mp::mpfr_float_backend<50, mp::allocate_stack>, mp::et_off>;
using oracle100 = mp::number<mp::mpfr_float_backend<100, mp::allocate_stack>, mp::et_off>;
/// An interval whose ends have 50 digits. MPFI rounds the ends outward, so the interval contains
/// the exact result.
using interval = mp::number<mp::mpfi_float_backend<50>, mp::et_off>;
using dual = Dual<oracle50>;
using complex100 = Complex<oracle100>;
/// Exact rational numbers. They have no square root, so they are used only for polynomial
/// identities.
using rational = mp::number<mp::cpp_rational::backend_type, mp::et_off>;

/// Whether T is a set of numbers that contains the exact result.
template <class T>
inline constexpr bool is_enclosure = is_one_of<T, interval, ball>;

/// The scalar types for which every formula in ref/ is instantiated.
template <class T>
concept Real = is_one_of<T, double, oracle50, oracle100, interval, ball, dual, complex100,
                         running_error, any_order_error>;

/// Expands M(T) for each scalar type T that this source file is compiled for. Normally these are
/// all scalar types. If CMake compiles the file twice (SCALARS_APART), the first time is for
/// `double` only and the second for all other types.
#if !defined NORMPROOF_SCALARS_double
#define NORMPROOF_FOR_EACH_OTHER_REAL(M)      \
  M(::normproof::ref::numeric::oracle50)      \
  M(::normproof::ref::numeric::oracle100)     \
  M(::normproof::ref::numeric::interval)      \
  M(::normproof::ref::numeric::ball)          \
  M(::normproof::ref::numeric::dual)          \
  M(::normproof::ref::numeric::complex100)    \
  M(::normproof::ref::numeric::running_error) \
  M(::normproof::ref::numeric::any_order_error)
#else
#define NORMPROOF_FOR_EACH_OTHER_REAL(M)
#endif
#if defined NORMPROOF_SCALARS_others
#define NORMPROOF_FOR_EACH_REAL(M) NORMPROOF_FOR_EACH_OTHER_REAL(M)
#else
#define NORMPROOF_FOR_EACH_REAL(M) \
  M(double)                        \
  NORMPROOF_FOR_EACH_OTHER_REAL(M)
#endif

#endif

}  // namespace normproof::ref::numeric
