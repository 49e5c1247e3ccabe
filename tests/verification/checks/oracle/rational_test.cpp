/// Checks polynomial identities in exact rational arithmetic, without tolerance. In this arithmetic
/// the lane sum of rule R2 equals the plain sum.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "ref/numeric/real.hpp"
#include "ref/ops/lane_sum.hpp"

namespace normproof::verification::checks::oracle {
namespace {

using ref::numeric::rational;
using ref::ops::lane_sum;

rational draw_rational() {
  const auto numerator = *rc::gen::inRange(-1000, 1001);
  const auto denominator = *rc::gen::inRange(1, 100);
  return rational(numerator, denominator);
}
std::vector<rational> draw_vector(std::size_t count) {
  std::vector<rational> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(draw_rational());
  return result;
}
template <class Term>
rational mean(std::size_t count, Term term) {
  return lane_sum<rational>(count, term) / rational(count);
}

RC_GTEST_PROP(RationalIdentity, LaneSumEqualsThePlainSum, ()) {
  const auto t = draw_vector(*rc::gen::inRange<std::size_t>(0, 100));
  rational plain = 0;
  for (const auto& x : t) plain += x;
  RC_ASSERT(lane_sum<rational>(t.size(), [&](std::size_t i) { return t[i]; }) == plain);
}

/// Checks `psi^2 = mu^2 + sigma^2`.
RC_GTEST_PROP(RationalIdentity, QuadraticMeanIsSquaredMeanPlusVariance, ()) {
  const auto x = draw_vector(*rc::gen::inRange<std::size_t>(1, 40));
  const std::size_t n = x.size();
  const rational mu = mean(n, [&](std::size_t i) { return x[i]; });
  const rational variance = mean(n, [&](std::size_t i) { return (x[i] - mu) * (x[i] - mu); });
  RC_ASSERT(mean(n, [&](std::size_t i) { return x[i] * x[i]; }) == mu * mu + variance);
}

/// Checks the backward of BatchNorm and LayerNorm without its factor 1/sigma. Let d be x - mean, v
/// the variance and g the gradient grad_y. The backward is rational, because `x_hat_i mean(g
/// x_hat)` equals `d_i mean(g d)/(v + eps)`. It sums to 0 for every eps, and its mean product with
/// d is `mean(g d) eps/(v + eps)`.
RC_GTEST_PROP(RationalIdentity, CenteredBackwardSumsToZero, ()) {
  const std::size_t n = *rc::gen::inRange<std::size_t>(1, 40);
  const auto x = draw_vector(n);
  const auto g = draw_vector(n);
  const rational eps(*rc::gen::inRange(1, 100), 1000);
  const rational mu = mean(n, [&](std::size_t i) { return x[i]; });
  const auto d = [&](std::size_t i) -> rational { return x[i] - mu; };
  const rational v = mean(n, [&](std::size_t i) { return d(i) * d(i); });
  const rational a = mean(n, [&](std::size_t i) { return g[i]; });
  const rational gd = mean(n, [&](std::size_t i) { return g[i] * d(i); });
  const auto numerator = [&](std::size_t i) -> rational {
    return g[i] - a - d(i) * gd / (v + eps);
  };
  RC_ASSERT(lane_sum<rational>(n, numerator) == 0);
  RC_ASSERT(mean(n, [&](std::size_t i) { return numerator(i) * d(i); }) == gd * eps / (v + eps));
}

/// Checks for PN-V that `s mean(grad_x x)` equals `mean(g x) eps / s^2`. Here g is grad_y, and s is
/// `sqrt(psi^2 + eps)`.
RC_GTEST_PROP(RationalIdentity, PowerNormVBackwardTimesXMatchesItsFormula, ()) {
  const std::size_t n = *rc::gen::inRange<std::size_t>(1, 40);
  const auto x = draw_vector(n);
  const auto g = draw_vector(n);
  const rational eps(*rc::gen::inRange(1, 100), 1000);
  const rational q = mean(n, [&](std::size_t i) { return x[i] * x[i]; }) + eps;
  const rational gx = mean(n, [&](std::size_t i) { return g[i] * x[i]; });
  const auto numerator = [&](std::size_t i) -> rational { return g[i] - x[i] * gx / q; };
  RC_ASSERT(mean(n, [&](std::size_t i) { return numerator(i) * x[i]; }) == gx * eps / q);
}

/// The two forms of the recursion of nu are equal. The new nu is a weighted mean of the old nu and
/// Lambda/Gamma: the weights are 1 - theta and theta = (1 - alpha) Gamma. This holds for any vector
/// x_hat.
RC_GTEST_PROP(RationalIdentity, TwoFormsOfTheNuRecursionAreEqual, ()) {
  const std::size_t n = *rc::gen::inRange<std::size_t>(1, 40);
  auto z = draw_vector(n);
  z[0] = rational(1, 3);  // Gamma > 0
  const auto g = draw_vector(n);
  const rational nu = draw_rational();
  const rational w(*rc::gen::inRange(0, 11), 10);
  const rational gamma = mean(n, [&](std::size_t i) { return z[i] * z[i]; });
  const rational lambda = mean(n, [&](std::size_t i) { return g[i] * z[i]; });
  const rational next = nu * (1 - w * gamma) + w * lambda;
  const rational left = mean(n, [&](std::size_t i) { return (g[i] - nu * z[i]) * z[i]; });
  RC_ASSERT(next == nu + w * left);
  const rational theta = w * gamma;
  RC_ASSERT(next == (1 - theta) * nu + theta * (lambda / gamma));
  if (theta <= 1) {
    const rational ratio = lambda / gamma;
    RC_ASSERT((nu < ratio ? nu : ratio) <= next && next <= (nu < ratio ? ratio : nu));
  }
  // The state of the released code is e = nu/w. It changes by `mean((g - w e x_hat) x_hat)`.
  if (w != 0) RC_ASSERT(nu / w + left == next / w);
}

/// A cumulative mean followed by a moving average equals a single moving average that keeps the
/// fraction `alpha (k-1)/k` of the old value.
RC_GTEST_PROP(RationalIdentity, WarmUpThenMovingAverageIsOneMovingAverage, ()) {
  const rational running = draw_rational();
  const rational batch = draw_rational();
  const rational alpha(*rc::gen::inRange(0, 11), 10);
  const rational k = *rc::gen::inRange(1, 100);
  const rational cumulative = running * (k - 1) / k + batch / k;
  const rational kept = alpha * (k - 1) / k;
  RC_ASSERT(alpha * cumulative + (1 - alpha) * batch == kept * running + (1 - kept) * batch);
}

}  // namespace
}  // namespace normproof::verification::checks::oracle
