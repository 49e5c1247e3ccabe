#include "ref/numeric/pi.hpp"

namespace normproof::ref::numeric {
namespace {

template <class T>
T pi_by_mpfr() {
  T result;
  mpfr_const_pi(result.backend().data(), MPFR_RNDN);
  return result;
}

}  // namespace

template <>
oracle50 pi() {
  return pi_by_mpfr<oracle50>();
}
template <>
oracle100 pi() {
  return pi_by_mpfr<oracle100>();
}
template <>
interval pi() {
  interval result;
  mpfi_const_pi(result.backend().data());
  return result;
}
template <>
ball pi() {
  ball result;
  arb_const_pi(result.get(), ball::precision());
  return result;
}
template <>
dual pi() {
  return dual(pi<oracle50>());
}
template <>
complex100 pi() {
  return complex100(pi<oracle100>());
}

}  // namespace normproof::ref::numeric
