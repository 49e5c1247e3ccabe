#pragma once

#include "ref/numeric/running_error.hpp"

namespace normproof::ref::numeric {

/// Returns a b + c. For double it is the IEEE operation fma, rounded once; hardware and library
/// give the same bits. running_error does the same. Every other scalar rounds the product and then
/// the sum by its own rules, so enclosures stay enclosures and dual numbers stay exact derivatives.
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
