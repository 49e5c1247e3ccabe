#include "ref/numeric/elementary.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ref/numeric/random.hpp"
#include "tests/ref/numeric/special_values.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::ref::numeric {
namespace {

TEST(SquareRoot, IsCorrectlyRoundedForDouble) {
  const RandomStream stream(11, "sqrt");
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const double x = stream.uniform(2 * i) * (stream.below(2 * i + 1, 2) == 0 ? 1.0 : 0x1p-1060);
    mpfr_t root;
    mpfr_init2(root, 53);
    mpfr_set_d(root, x, MPFR_RNDN);
    mpfr_sqrt(root, root, MPFR_RNDN);
    EXPECT_BITS_EQ(square_root(x), mpfr_get_d(root, MPFR_RNDN));
    mpfr_clear(root);
  }
}

TEST(SquareRoot, AgreesForEveryScalarType) {
  const oracle100 exact = square_root(oracle100(2));
  EXPECT_BITS_EQ(to_double(exact), square_root(2.0));
  EXPECT_BITS_EQ(to_double(square_root(oracle50(2))), square_root(2.0));
  EXPECT_BITS_EQ(square_root(running_error(2.0)).value, square_root(2.0));
  const Enclosure i = enclose(square_root(interval(2.0)));
  const Enclosure b = enclose(square_root(ball(2.0)));
  for (const Enclosure& e : {i, b}) {
    EXPECT_LE(oracle100(e.lower), exact);
    EXPECT_GE(oracle100(e.upper), exact);
    EXPECT_LE(verification::checks::compare::ulp_distance(e.lower, e.upper), 1u);
  }
}

TEST(IsFinite, DetectsInfinityAndNanInEveryScalar) {
  EXPECT_TRUE(is_finite(std::numeric_limits<double>::max()));
  for (const double bad : {kInfinity, -kInfinity, kNaN}) {
    EXPECT_FALSE(is_finite(bad));
    EXPECT_FALSE(is_finite(oracle50(bad)));
    EXPECT_FALSE(is_finite(oracle100(bad)));
    EXPECT_FALSE(is_finite(interval(bad)));
    EXPECT_FALSE(is_finite(ball(bad)));
    EXPECT_FALSE(is_finite(dual(oracle50(1), oracle50(bad))));
    EXPECT_FALSE(is_finite(running_error(bad)));
  }
  EXPECT_TRUE(is_finite(interval(1.0)));
  EXPECT_TRUE(is_finite(ball(1.0)));
  EXPECT_TRUE(is_finite(dual(1.0)));
}

TEST(Clamp, LimitsDoublesAndDualNumbers) {
  EXPECT_EQ(clamp(2.0, 0.0, 1.0), 1.0);
  EXPECT_EQ(clamp(-2.0, 0.0, 1.0), 0.0);
  EXPECT_EQ(clamp(0.5, 0.0, 1.0), 0.5);
  const dual outside = clamp(dual(oracle50(2), oracle50(1)), dual(0), dual(1));
  EXPECT_EQ(outside.derivative, oracle50(0));
  const dual inside = clamp(dual(oracle50(0.5), oracle50(1)), dual(0), dual(1));
  EXPECT_EQ(inside.derivative, oracle50(1));
}

// Clamps an interval. The result must contain the clamped value of each point of the interval.
template <class T>
void expect_clamp_encloses_every_point(const T& wide_interval, double lower, double upper) {
  const Enclosure e = enclose(clamp(wide_interval, T(lower), T(upper)));
  const Enclosure x = enclose(wide_interval);
  for (const double point : {x.lower, x.upper, (x.lower + x.upper) / 2}) {
    const double image = clamp(point, lower, upper);
    EXPECT_LE(e.lower, image);
    EXPECT_GE(e.upper, image);
  }
  EXPECT_GE(e.lower, lower - 0x1p-20);
  EXPECT_LE(e.upper, upper + 0x1p-20);
}

TEST(Clamp, ResultOfAnIntervalContainsTheResultOfEveryPoint) {
  for (const auto& [lower, upper] :
       {std::pair{0.0, 1.0}, std::pair{-3.0, 0.5}, std::pair{0.25, 0.5}, std::pair{2.0, 3.0}}) {
    expect_clamp_encloses_every_point(hull(ball(-0.5), ball(1.5)), lower, upper);
    interval wide_interval(0.0);
    mpfi_interv_d(wide_interval.backend().data(), -0.5, 1.5);
    expect_clamp_encloses_every_point(wide_interval, lower, upper);
  }
}

// The limits are intervals too. If x lies below both limits, the result is the whole lower limit.
TEST(Clamp, AnIntervalBelowTheLimitsGivesTheLowerLimit) {
  const interval third = interval(1.0) / interval(3.0);
  const interval clamped = clamp(interval(0.0), third, interval(1.0));
  EXPECT_TRUE(mpfr_equal_p(&clamped.backend().data()->left, &third.backend().data()->left));
  EXPECT_TRUE(mpfr_equal_p(&clamped.backend().data()->right, &third.backend().data()->right));
  EXPECT_FALSE(mpfr_equal_p(&third.backend().data()->left, &third.backend().data()->right));
}

TEST(Clamp, ErrorBoundCoversTheClampedExactValue) {
  const running_error x(1.25, 0.5);
  const running_error clamped = clamp(x, running_error(0.0), running_error(1.0));
  EXPECT_EQ(clamped.value, 1.0);
  EXPECT_GE(clamped.error, 0.25);  // the exact value may be 0.75
}

TEST(StopGradient, DropsOnlyTheDerivative) {
  const dual stopped = stop_gradient(dual(oracle50(3), oracle50(4)));
  EXPECT_EQ(stopped.value, oracle50(3));
  EXPECT_EQ(stopped.derivative, oracle50(0));
  EXPECT_EQ(stop_gradient(2.5), 2.5);
}

TEST(ToDouble, RoundsToNearest) {
  EXPECT_BITS_EQ(to_double(oracle50(1) / 10), 0.1);
  EXPECT_BITS_EQ(to_double(oracle100(1) / 10), 0.1);
  EXPECT_BITS_EQ(to_double(rational(1, 10)), 0.1);
  EXPECT_BITS_EQ(to_double(dual(0.1)), 0.1);
}

TEST(Enclose, RoundsNumbersOfHigherPrecisionOutward) {
  const Enclosure e = enclose(oracle50(1) / 10);
  EXPECT_EQ(verification::checks::compare::ulp_distance(e.lower, e.upper), 1u);
}

// An elementary function for every scalar type, and the range of arguments in which the tests
// compare it with MPFR at 100 digits.
struct FunctionOfEveryScalar {
  const char* name;
  oracle100 (*of_100)(const oracle100&);
  oracle50 (*of_50)(const oracle50&);
  interval (*of_interval)(const interval&);
  ball (*of_ball)(const ball&);
  dual (*of_dual)(const dual&);
  running_error (*of_running_error)(const running_error&);
  double (*of_double)(double);
  double begin, end;
};
const FunctionOfEveryScalar kFunctions[] = {
    {"exp", exp, exp, exp, exp, exp, exp, exp, -30, 30},
    {"log", log, log, log, log, log, log, log, 0x1p-10, 30},
    {"tanh", tanh, tanh, tanh, tanh, tanh, tanh, tanh, -25, 25},
    {"erf", erf, erf, erf, erf, erf, erf, erf, -7, 7}};

TEST(ElementaryFunctions, AgreeForEveryScalarType) {
  const RandomStream stream(12, "elementary scalars");
  for (const FunctionOfEveryScalar& f : kFunctions) {
    for (std::uint64_t i = 0; i < 300; ++i) {
      const double x = f.begin + (f.end - f.begin) * stream.uniform(i);
      const oracle100 exact = f.of_100(oracle100(x));
      EXPECT_BITS_EQ(f.of_double(x), to_double(exact));
      EXPECT_LE(abs(oracle100(f.of_50(oracle50(x))) - exact), abs(exact) * oracle100(0x1p-166));
      const Enclosure in = enclose(f.of_interval(interval(x)));
      const Enclosure ba = enclose(f.of_ball(ball(x)));
      for (const Enclosure& e : {in, ba}) {
        EXPECT_LE(oracle100(e.lower), exact) << f.name << x;
        EXPECT_GE(oracle100(e.upper), exact) << f.name << x;
        EXPECT_LE(verification::checks::compare::ulp_distance(e.lower, e.upper), 1u);
      }
      const running_error r = f.of_running_error(running_error(x));
      EXPECT_BITS_EQ(r.value, f.of_double(x));
      EXPECT_LE(abs(oracle100(r.value) - exact), oracle100(r.error));
    }
  }
}

// The result for an interval must contain the function value of every point of the interval. The
// error bound must cover the function value of every point within the error of the argument.
TEST(ElementaryFunctions, IntervalsAndErrorBoundsContainTheResultOfEveryPoint) {
  const RandomStream stream(13, "elementary enclosures");
  for (const FunctionOfEveryScalar& f : kFunctions) {
    for (std::uint64_t i = 0; i < 300; ++i) {
      const double center = f.begin + (f.end - f.begin) * stream.uniform(3 * i);
      const double radius = std::ldexp(stream.uniform(3 * i + 1), -static_cast<int>(i % 40));
      const double low = center - radius, high = center + radius;
      if (f.begin > 0 && low <= 0) continue;
      interval wide_interval(0.0);
      mpfi_interv_d(wide_interval.backend().data(), low, high);
      const Enclosure in = enclose(f.of_interval(wide_interval));
      const Enclosure ba = enclose(f.of_ball(hull(ball(low), ball(high))));
      const double candidate_argument_range = std::max(high - center, center - low) * (1 + 0x1p-40);
      const running_error r = f.of_running_error(running_error(center, candidate_argument_range));
      for (const double x : {low, (low + center) / 2, center, high}) {
        const oracle100 exact = f.of_100(oracle100(x));
        EXPECT_LE(oracle100(in.lower), exact);
        EXPECT_GE(oracle100(in.upper), exact);
        EXPECT_LE(oracle100(ba.lower), exact);
        EXPECT_GE(oracle100(ba.upper), exact);
        EXPECT_LE(abs(oracle100(r.value) - exact), oracle100(r.error)) << f.name << " " << x;
      }
      EXPECT_BITS_EQ(r.value, f.of_double(center));
    }
  }
}

// If the slope of a function at a point is small, then the error bound there must be small too.
TEST(ElementaryFunctions, ErrorBoundScalesWithTheSlope) {
  EXPECT_LE(exp(running_error(-10, 0x1p-20)).error, 0x1p-20 * 0x1p-14);
  EXPECT_LE(log(running_error(1024, 0x1p-20)).error, 0x1p-29);
  EXPECT_LE(tanh(running_error(10, 0x1p-20)).error, 0x1p-20 * 0x1p-26);
  EXPECT_LE(erf(running_error(4, 0x1p-20)).error, 0x1p-20 * 0x1p-22);
  EXPECT_EQ(log(running_error(1, 1)).error, kInfinity);
}

TEST(ElementaryFunctions, DerivativesMatchDifferenceQuotients) {
  const RandomStream stream(14, "elementary derivatives");
  for (const FunctionOfEveryScalar& f : kFunctions) {
    for (std::uint64_t i = 0; i < 50; ++i) {
      const double x = f.begin + (f.end - f.begin) * stream.uniform(i);
      const dual y = f.of_dual(dual(oracle50(x), oracle50(3)));
      EXPECT_EQ(y.value, f.of_50(oracle50(x)));
      // A central difference at 100 digits: truncation and rounding error are both near 2^-166.
      const oracle100 h(0x1p-83);
      const oracle100 slope = (f.of_100(oracle100(x) + h) - f.of_100(oracle100(x) - h)) / (2 * h);
      EXPECT_LE(abs(oracle100(y.derivative) - 3 * slope), abs(slope) * oracle100(0x1p-100));
      EXPECT_EQ(f.of_dual(dual(x)).derivative, oracle50(0));
    }
  }
}

}  // namespace
}  // namespace normproof::ref::numeric
