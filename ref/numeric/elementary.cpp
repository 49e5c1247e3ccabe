#include "ref/numeric/elementary.hpp"

#include <algorithm>

namespace normproof::ref::numeric {
namespace {

template <class T>
bool mpfr_is_finite(const T& x) {
  return mpfr_number_p(x.backend().data()) != 0;
}

template <class T>
Enclosure mpfr_enclose(const T& x) {
  return {mpfr_get_d(x.backend().data(), MPFR_RNDD), mpfr_get_d(x.backend().data(), MPFR_RNDU)};
}

}  // namespace

oracle50 square_root(const oracle50& x) {
  return mp::sqrt(x);
}
oracle100 square_root(const oracle100& x) {
  return mp::sqrt(x);
}
interval square_root(const interval& x) {
  return mp::sqrt(x);
}
dual square_root(const dual& x) {
  return sqrt(x);
}

bool is_finite(const oracle50& x) {
  return mpfr_is_finite(x);
}
bool is_finite(const oracle100& x) {
  return mpfr_is_finite(x);
}
bool is_finite(const interval& x) {
  return mpfi_bounded_p(x.backend().data()) != 0;
}
bool is_finite(const dual& x) {
  return is_finite(x.value) && is_finite(x.derivative);
}

double to_double(const oracle50& x) {
  return mpfr_get_d(x.backend().data(), MPFR_RNDN);
}
double to_double(const oracle100& x) {
  return mpfr_get_d(x.backend().data(), MPFR_RNDN);
}
double to_double(const interval& x) {
  return mpfi_get_d(x.backend().data());
}
double to_double(const dual& x) {
  return to_double(x.value);
}
double to_double(const rational& x) {
  return x.convert_to<double>();
}

Enclosure enclose(const interval& x) {
  return {mpfr_get_d(&x.backend().data()->left, MPFR_RNDD),
          mpfr_get_d(&x.backend().data()->right, MPFR_RNDU)};
}
Enclosure enclose(const ball& x) {
  return {x.lower(), x.upper()};
}
Enclosure enclose(const oracle50& x) {
  return mpfr_enclose(x);
}
Enclosure enclose(const oracle100& x) {
  return mpfr_enclose(x);
}

// Clamping rises in each of its arguments: the ends of the image are the images of the ends.
interval clamp(const interval& x, const interval& lower, const interval& upper) {
  interval result = x;
  auto* r = result.backend().data();
  const auto* lo = lower.backend().data();
  const auto* up = upper.backend().data();
  if (mpfr_cmp(&r->left, &lo->left) < 0) mpfr_set(&r->left, &lo->left, MPFR_RNDN);
  if (mpfr_cmp(&r->left, &up->left) > 0) mpfr_set(&r->left, &up->left, MPFR_RNDN);
  if (mpfr_cmp(&r->right, &lo->right) < 0) mpfr_set(&r->right, &lo->right, MPFR_RNDN);
  if (mpfr_cmp(&r->right, &up->right) > 0) mpfr_set(&r->right, &up->right, MPFR_RNDN);
  return result;
}

ball clamp(const ball& x, const ball& lower, const ball& upper) {
  if (x < lower) return lower;
  if (x > upper) return upper;
  if (x >= lower && x <= upper) return x;
  // The ball crosses an end: the image lies in the hull of the part inside and that end.
  ball result;
  ball lo = x >= lower ? x : hull(lower, lower);
  ball up = x <= upper ? x : hull(upper, upper);
  if (!(x >= lower) && !(x <= upper)) return hull(lower, upper);
  arf_t end;
  arf_init(end);
  if (!(x >= lower)) {
    arb_get_ubound_arf(end, x.get(), ball::precision());
    arb_set_arf(up.get(), end);
  } else {
    arb_get_lbound_arf(end, x.get(), ball::precision());
    arb_set_arf(lo.get(), end);
  }
  arf_clear(end);
  return hull(lo, up);
}

// Clamping is a contraction: the distance of the images is at most that of the arguments, so the
// bound holds whichever branch the exact value takes.
running_error clamp(const running_error& x, const running_error& lower,
                    const running_error& upper) {
  const double value = x < lower ? lower.value : x > upper ? upper.value : x.value;
  return running_error(value, x.error + lower.error + upper.error);
}

}  // namespace normproof::ref::numeric
