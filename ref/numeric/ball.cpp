#include "ref/numeric/ball.hpp"

#include "ref/numeric/multiprecision_memory.hpp"

namespace normproof::ref::numeric {
namespace {

thread_local slong ball_precision = 128;

double to_double(arb_srcptr value, void (*bound)(arf_t, const arb_t, slong), arf_rnd_t rounding) {
  arf_t end;
  arf_init(end);
  bound(end, value, 2 * ball_precision);
  const double result = arf_get_d(end, rounding);
  arf_clear(end);
  return result;
}

}  // namespace

slong ball::precision() {
  check_multiprecision_memory();
  return ball_precision;
}

BallPrecision::BallPrecision(slong bits) : previous_(ball_precision) {
  ball_precision = bits;
}
BallPrecision::~BallPrecision() {
  ball_precision = previous_;
}

double ball::midpoint() const {
  return arf_get_d(arb_midref(value_), ARF_RND_NEAR);
}
double ball::lower() const {
  return to_double(value_, arb_get_lbound_arf, ARF_RND_FLOOR);
}
double ball::upper() const {
  return to_double(value_, arb_get_ubound_arf, ARF_RND_CEIL);
}

bool ball::contains(double v) const {
  const ball point(v);
  return arb_contains(value_, point.value_) != 0;
}

ball sqrt(const ball& x) {
  ball r;
  const auto root = arb_contains_zero(x.get()) != 0 ? arb_sqrtpos : arb_sqrt;
  root(r.get(), x.get(), ball::precision());
  return r;
}

ball hull(const ball& a, const ball& b) {
  ball r;
  arb_union(r.get(), a.get(), b.get(), ball::precision());
  return r;
}

}  // namespace normproof::ref::numeric
