#pragma once

#include <cmath>

#include "ref/numeric/elementary.hpp"

namespace normproof::verification::golden::plain {

// These functions call exp and related functions of std or, by argument-dependent lookup, of the
// namespace of the number. ref/numeric defines them for scalars that carry an error bound.
template <class T>
T adl_exp(T x) {
  using std::exp;
  return exp(x);
}
template <class T>
T adl_log(T x) {
  using std::log;
  return log(x);
}
template <class T>
T adl_sqrt(T x) {
  using std::sqrt;
  return sqrt(x);
}
template <class T>
T adl_tanh(T x) {
  using std::tanh;
  return tanh(x);
}
template <class T>
T adl_erf(T x) {
  using std::erf;
  return erf(x);
}
template <class T>
T adl_erfc(T x) {
  using std::erfc;
  return erfc(x);
}

}  // namespace normproof::verification::golden::plain
