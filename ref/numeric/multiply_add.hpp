#pragma once

#include "ref/numeric/running_error.hpp"

namespace normproof::ref::numeric {

/// Computes  a b + c. For double the IEEE operation fma, rounded once, in hardware or by a library:
///           the same bits. running_error follows it. Every other scalar rounds the product and
///           then the sum, each by its own rule: the enclosures stay enclosures, dual numbers stay
///           exact derivatives.
inline double multiply_add(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
template <class T>
T multiply_add(const T& a, const T& b, const T& c) {
  T product = a * b;
  product += c;
  return product;
}

}  // namespace normproof::ref::numeric
