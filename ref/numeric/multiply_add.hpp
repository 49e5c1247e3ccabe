#pragma once

#include "ref/numeric/running_error.hpp"

namespace normproof::ref::numeric {

/// Returns `a b + c`. For `double` and running_error it is the IEEE operation fma, which rounds
/// once; the processor's instruction and the library function give the same bits. Every other
/// scalar type rounds the product, then the sum, by its own rules. So enclosures remain enclosures,
/// and dual numbers remain exact derivatives.
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
