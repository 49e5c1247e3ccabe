#pragma once

#include "ref/numeric/elementary.hpp"
#include "ref/numeric/real.hpp"
#include "verification/checks/oracle/variable.hpp"

namespace normproof::verification::checks::oracle {

/// The scalar types with which the definition is evaluated: a plain number, and three types that
/// also give the derivative.
using Dual = ref::numeric::Dual<oracle100>;
using Complex = ref::numeric::complex100;

inline oracle100 root(const oracle100& x) {
  return sqrt(x);
}
inline Dual root(const Dual& x) {
  return sqrt(x);
}
inline Complex root(const Complex& x) {
  return sqrt(x);
}

using ref::numeric::tanh;
/// Returns tanh(x). Its derivative is 1/cosh(x)^2.
inline Dual tanh(const Dual& x) {
  const oracle100 c = cosh(x.value);
  return Dual(tanh(x.value), x.derivative / (c * c));
}

inline const oracle100& value_of(const oracle100& x) {
  return x;
}
inline const oracle100& value_of(const Dual& x) {
  return x.value;
}
inline const oracle100& value_of(const Complex& x) {
  return x.re;
}
inline const oracle100& value_of(const Variable& x) {
  return x.value;
}

}  // namespace normproof::verification::checks::oracle
