#pragma once

#include <cmath>

#include "ref/numeric/elementary.hpp"

namespace normproof::verification::golden::plain {

// exp and its kin of std, or of the number's own namespace: ref/numeric has those of scalars that
// carry a bound.
template <class T>
T exp_of(T x) {
  using std::exp;
  return exp(x);
}
template <class T>
T log_of(T x) {
  using std::log;
  return log(x);
}
template <class T>
T sqrt_of(T x) {
  using std::sqrt;
  return sqrt(x);
}
template <class T>
T tanh_of(T x) {
  using std::tanh;
  return tanh(x);
}
template <class T>
T erf_of(T x) {
  using std::erf;
  return erf(x);
}
template <class T>
T erfc_of(T x) {
  using std::erfc;
  return erfc(x);
}

}  // namespace normproof::verification::golden::plain
