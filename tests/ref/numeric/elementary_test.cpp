#include "ref/numeric/elementary.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "ref/numeric/random.hpp"
#include "tests/verification/compare/expect.hpp"

namespace normproof::ref::numeric {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(SquareRoot, OfDoubleIsCorrectlyRounded) {
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

TEST(SquareRoot, OfEveryScalarAgrees) {
  const oracle100 exact = square_root(oracle100(2));
  EXPECT_BITS_EQ(to_double(exact), square_root(2.0));
  EXPECT_BITS_EQ(to_double(square_root(oracle50(2))), square_root(2.0));
  EXPECT_BITS_EQ(square_root(running_error(2.0)).value, square_root(2.0));
  const Enclosure i = enclose(square_root(interval(2.0)));
  const Enclosure b = enclose(square_root(ball(2.0)));
  for (const Enclosure& e : {i, b}) {
    EXPECT_LE(oracle100(e.lower), exact);
    EXPECT_GE(oracle100(e.upper), exact);
    EXPECT_LE(verification::compare::ulp_distance(e.lower, e.upper), 1u);
  }
}

TEST(IsFinite, SeesInfinityAndNaNInEveryScalar) {
  EXPECT_TRUE(is_finite(std::numeric_limits<double>::max()));
  for (const double bad : {kInf, -kInf, kNaN}) {
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

TEST(Clamp, OfPoints) {
  EXPECT_EQ(clamp(2.0, 0.0, 1.0), 1.0);
  EXPECT_EQ(clamp(-2.0, 0.0, 1.0), 0.0);
  EXPECT_EQ(clamp(0.5, 0.0, 1.0), 0.5);
  const dual outside = clamp(dual(oracle50(2), oracle50(1)), dual(0), dual(1));
  EXPECT_EQ(outside.derivative, oracle50(0));
  const dual inside = clamp(dual(oracle50(0.5), oracle50(1)), dual(0), dual(1));
  EXPECT_EQ(inside.derivative, oracle50(1));
}

// An enclosure of [-0.5, 1.5] or so, clamped to [0, 1], must hold the image of each of its points.
template <class T>
void clamp_holds_every_image(const T& wide, double lower, double upper) {
  const Enclosure e = enclose(clamp(wide, T(lower), T(upper)));
  const Enclosure x = enclose(wide);
  for (const double point : {x.lower, x.upper, (x.lower + x.upper) / 2}) {
    const double image = clamp(point, lower, upper);
    EXPECT_LE(e.lower, image);
    EXPECT_GE(e.upper, image);
  }
  EXPECT_GE(e.lower, lower - 0x1p-20);
  EXPECT_LE(e.upper, upper + 0x1p-20);
}

TEST(Clamp, OfEnclosuresHoldsTheImageOfEveryPoint) {
  for (const auto& [lower, upper] :
       {std::pair{0.0, 1.0}, std::pair{-3.0, 0.5}, std::pair{0.25, 0.5}, std::pair{2.0, 3.0}}) {
    clamp_holds_every_image(hull(ball(-0.5), ball(1.5)), lower, upper);
    interval wide(0.0);
    mpfi_interv_d(wide.backend().data(), -0.5, 1.5);
    clamp_holds_every_image(wide, lower, upper);
  }
}

// An interval below limits that are intervals themselves: the image is the whole lower limit.
TEST(Clamp, OfAnIntervalBelowHoldsBothEndsOfTheLowerLimit) {
  const interval third = interval(1.0) / interval(3.0);
  const interval clamped = clamp(interval(0.0), third, interval(1.0));
  EXPECT_TRUE(mpfr_equal_p(&clamped.backend().data()->left, &third.backend().data()->left));
  EXPECT_TRUE(mpfr_equal_p(&clamped.backend().data()->right, &third.backend().data()->right));
  EXPECT_FALSE(mpfr_equal_p(&third.backend().data()->left, &third.backend().data()->right));
}

TEST(Clamp, OfARunningErrorKeepsItsBound) {
  const running_error x(1.25, 0.5);
  const running_error clamped = clamp(x, running_error(0.0), running_error(1.0));
  EXPECT_EQ(clamped.value, 1.0);
  EXPECT_GE(clamped.error, 0.25);  // the exact value may be 0.75
}

TEST(StopGradient, DropsTheDerivativeAlone) {
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

TEST(Enclose, OfAPointAboveTheDoublesRoundsOutward) {
  const Enclosure e = enclose(oracle50(1) / 10);
  EXPECT_EQ(verification::compare::ulp_distance(e.lower, e.upper), 1u);
}

}  // namespace
}  // namespace normproof::ref::numeric
