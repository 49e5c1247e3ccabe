#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <thread>

#include "ref/numeric/any_order_error.hpp"
#include "ref/numeric/elementary.hpp"
#include "ref/numeric/elementary_fast.hpp"
#include "ref/numeric/random.hpp"
#include "tests/ref/numeric/special_values.hpp"

// Tests of any_order_error at the limits of the formats, and for elementary functions and clamp.
namespace normproof::ref::numeric {
namespace {

class AnyOrderErrorBoundLimits : public ::testing::Test {
  const AnyOrderArithmetic arithmetic_{arithmetic_of_type(FloatType::float32)};
};

bool is_within_bound(const any_order_error& bound, double candidate, const oracle100& exact) {
  const oracle100 off = oracle100(candidate) - exact;
  return (off < 0 ? oracle100(-off) : off) <= oracle100(bound.error);
}

TEST_F(AnyOrderErrorBoundLimits, ErrorIsInfiniteIfTheFormatOverflows) {
  const any_order_error large_value(0x1p100), largest(0x1.fffffep+127);
  EXPECT_EQ((large_value * large_value).error, kInfinity);
  EXPECT_EQ((large_value * large_value).value, 0x1p200);
  EXPECT_EQ((largest + largest).error, kInfinity);
  EXPECT_EQ((large_value / any_order_error(0x1p-100)).error, kInfinity);
  EXPECT_EQ(any_order_error(1e39).error, kInfinity);
  EXPECT_EQ(any_order_error(kInfinity).error, kInfinity);
  EXPECT_EQ(any_order_error(kNaN).error, kInfinity);
  EXPECT_EQ(exp(any_order_error(89)).error, kInfinity);
  EXPECT_LT(exp(any_order_error(88)).error, kInfinity);
  // An infinite bound stays infinite, even after multiplication by 0.
  EXPECT_EQ((large_value * large_value * any_order_error(0.0)).error, kInfinity);
  EXPECT_EQ((large_value * large_value - large_value * large_value).error, kInfinity);
  const AnyOrderArithmetic sixteen(arithmetic_of_type(FloatType::float16));
  EXPECT_LT((any_order_error(200) * any_order_error(300)).error, kInfinity);
  EXPECT_EQ((any_order_error(256) * any_order_error(256)).error, kInfinity);
}

TEST_F(AnyOrderErrorBoundLimits, ErrorIsInfiniteIfASumOverflowsInSomeOrder) {
  const any_order_error a(0x1p127), b(-0x1p127), c(0x1p127);
  // In float32, (a + c) + b overflows, but (a + b) + c does not.
  EXPECT_EQ(((a + b) + c).value, 0x1p127);
  EXPECT_EQ(((a + b) + c).error, kInfinity);
  EXPECT_EQ(((a + c) + b).error, kInfinity);
  EXPECT_LT((any_order_error(0x1p126) + any_order_error(-0x1p126)).error, kInfinity);
}

TEST_F(AnyOrderErrorBoundLimits, ErrorIsInfiniteIfTheDivisorMayBeZero) {
  const any_order_error tenth(0.1), difference = tenth * any_order_error(10) - any_order_error(1);
  EXPECT_EQ((any_order_error(1) / any_order_error(0.0)).error, kInfinity);
  EXPECT_EQ((any_order_error(1) / difference).error, kInfinity);
  EXPECT_LT((any_order_error(1) / (difference + any_order_error(0x1p-18))).error, kInfinity);
  EXPECT_EQ(log(difference).error, kInfinity);
}

// Adds 20 quarters to 1001 - 1000. In float16, 1001 + 1/4 rounds to 1001, so an implementation that
// subtracts 1000 last loses every quarter.
TEST_F(AnyOrderErrorBoundLimits, LowerBoundAllowsForCancellationOfLargeTerms) {
  const AnyOrderArithmetic sixteen(arithmetic_of_type(FloatType::float16));
  any_order_error sum = any_order_error(1001) - any_order_error(1000), positive = 1;
  for (int i = 0; i < 20; ++i) {
    sum += any_order_error(0.25);
    positive += any_order_error(0.25);
  }
  double candidate = 1001;
  for (int i = 0; i < 20; ++i) candidate = round_to(FloatType::float16, candidate + 0.25);
  candidate -= 1000;
  ASSERT_EQ(candidate, 1);
  EXPECT_TRUE(is_within_bound(sum, candidate, 6));
  EXPECT_TRUE(is_within_bound(any_order_error(1) / sum, 1 / candidate, oracle100(1) / 6));
  EXPECT_TRUE(is_within_bound(sqrt(sum), candidate, sqrt(oracle100(6))));
  EXPECT_LE(sum.least(), candidate);
  EXPECT_GE(positive.least(), 5.8);
}

/// Returns float32 arithmetic that does not flush subnormal numbers. A subnormal result may be off
/// by two units in the last place.
Arithmetic float32_with_subnormals() {
  Arithmetic arithmetic = arithmetic_of_type(FloatType::float32);
  arithmetic.tiny *= 4 * arithmetic.unit_roundoff;
  return arithmetic;
}

TEST_F(AnyOrderErrorBoundLimits, CoversErrorsOfTwoUnitsInSubnormalResults) {
  const AnyOrderArithmetic scope(float32_with_subnormals());
  constexpr double kSmallestSubnormal = 0x1p-149;
  const double x = 93.0 / 64 * 0x1p-74;  // x x is 4.2 units
  const auto square = [&] {
    const any_order_error one(x);
    return one * one;
  };
  const any_order_error rstd =
      any_order_error(1) / sqrt((square() + square() + square()) / any_order_error(3));
  // The product x x is computed 2 units too small. The mean of three such products is again
  // computed 2 units too small.
  const double product = 3 * kSmallestSubnormal, mean = 3 * product / 3 - 2 * kSmallestSubnormal;
  ASSERT_LE(std::fabs(product - x * x), 2 * kSmallestSubnormal);
  const auto root = static_cast<float>(std::sqrt(mean));
  EXPECT_TRUE(is_within_bound(rstd, 1 / root, 1 / oracle100(x)));
}

TEST_F(AnyOrderErrorBoundLimits, RoundsAConstantBetweenSubnormalNumbers) {
  const double between = (1 + 0x1p-23) * 0x1p-130;
  EXPECT_GT(any_order_error(between).error, 0);  // flushed
  const AnyOrderArithmetic scope(float32_with_subnormals());
  EXPECT_GE(any_order_error(between).error, between - 0x1p-130);
  EXPECT_EQ(any_order_error(5 * 0x1p-149).error, 0);
  EXPECT_EQ(any_order_error((1 + 0x1p-23) * 0x1p-126).error, 0);
}

TEST_F(AnyOrderErrorBoundLimits, CoversRootsOfArgumentsNearZero) {
  // An implementation may compute the root of any argument within the error of x.
  const any_order_error x(0x1p-40, 0x1p-30);
  const any_order_error root = square_root(x);
  for (const double argument : {0.0, 0x1p-40, 0x1p-30, 0x1p-30 + 0x1p-40})
    EXPECT_TRUE(is_within_bound(root, std::sqrt(argument), oracle100(0x1p-20))) << argument;
  EXPECT_LE(root.error, 0x1.01p-15);
}

TEST_F(AnyOrderErrorBoundLimits, ArithmeticSettingIsLocalToTheScopeAndTheThread) {
  EXPECT_EQ(AnyOrderArithmetic::current().unit_roundoff, 0x1p-24);
  {
    const AnyOrderArithmetic inner_arithmetic(arithmetic_of_type(FloatType::bfloat16));
    EXPECT_EQ(AnyOrderArithmetic::current().unit_roundoff, 0x1p-8);
    double other_thread = 0;
    std::thread([&] { other_thread = AnyOrderArithmetic::current().unit_roundoff; }).join();
    EXPECT_EQ(other_thread, 0x1p-53);
    {
      const AnyOrderArithmetic innermost_arithmetic(arithmetic_of_type(FloatType::float16));
      EXPECT_EQ(AnyOrderArithmetic::current().largest, 65504);
    }
    EXPECT_EQ(AnyOrderArithmetic::current().tiny, 0x1p-126);
    EXPECT_EQ(AnyOrderArithmetic::current().unit_roundoff, 0x1p-8);
  }
  EXPECT_EQ(AnyOrderArithmetic::current().unit_roundoff, 0x1p-24);
}

TEST_F(AnyOrderErrorBoundLimits, InputRoundoffAffectsOnlyInputs) {
  const AnyOrderArithmetic exact({0, 0, kInfinity, 0x1p-24});
  const any_order_error a(3), b(-5.0);
  EXPECT_EQ(a.error, 3 * 0x1p-24);
  EXPECT_EQ(b.error, 5 * 0x1p-24);
  EXPECT_EQ(any_order_error(0.0).error, 0);
  const double sum = (a + b).error;
  EXPECT_GE(sum, 8 * 0x1p-24);
  EXPECT_LE(sum, 8 * 0x1.01p-24);
  // The factors are 3 +- e and 5 +- f. The bound has a margin for implementations whose errors are
  // twice as large.
  const double product = (a * b).error;
  EXPECT_GE(product, 30 * 0x1p-24);
  EXPECT_LE(product, 30 * 0x1.01p-24);
}

TEST_F(AnyOrderErrorBoundLimits, ComparisonsUseOnlyTheValue) {
  const any_order_error a(1, 100), b(2, kInfinity), c(1, 0);
  EXPECT_TRUE(a < b && b > a && a <= b && b >= a && a != b && a == c);
  EXPECT_FALSE(a > b || b < a || a >= b || b <= a || a == b || a != c);
}

template <class Candidate, class Function, class Exact>
void expect_error_bound_covers(const char* name, const Candidate& candidate, const Function& f,
                               const Exact& of, double least, double most) {
  const RandomStream random(5, name);
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const auto a = static_cast<float>(least + (most - least) * random.uniform(2 * i));
    const auto b = static_cast<float>(0.5 + random.uniform(2 * i + 1));
    const any_order_error operand_a(a), computed = operand_a * any_order_error(b);
    const double argument = static_cast<double>(a) * b;
    EXPECT_TRUE(is_within_bound(f(operand_a), candidate(a), of(oracle100(a))))
        << name << " of " << a;
    EXPECT_TRUE(is_within_bound(f(computed), candidate(a * b), of(oracle100(argument))))
        << name << " of " << argument;
    EXPECT_EQ(f(computed).value, f(running_error(argument, 0)).value);
    // A result that is one percent off must be outside of the bound.
    if (std::fabs(candidate(a)) > 0x1p-20F) {
      EXPECT_FALSE(is_within_bound(f(operand_a), 1.01 * candidate(a), of(oracle100(a))))
          << name << " of " << a;
    }
  }
}

#define NORMPROOF_EXPECT_COVERED(f, least, most)                                 \
  expect_error_bound_covers(                                                     \
      #f, [](float x) { return std::f(x); }, [](const auto& x) { return f(x); }, \
      [](const oracle100& x) { return f(x); }, least, most)

TEST_F(AnyOrderErrorBoundLimits, CoversElementaryFunctionsOfFloat) {
  NORMPROOF_EXPECT_COVERED(exp, -50, 50);
  NORMPROOF_EXPECT_COVERED(log, 1e-4, 1e4);
  NORMPROOF_EXPECT_COVERED(log, 0.99, 1.01);
  NORMPROOF_EXPECT_COVERED(tanh, -6, 6);
  NORMPROOF_EXPECT_COVERED(erf, -4, 4);
}

TEST_F(AnyOrderErrorBoundLimits, CoversElementaryFunctionsOfInexactArguments) {
  // The argument of an implementation is at either end of the error interval of the exact argument.
  for (const double value : {-3.0, -0.5, 0.0, 0.25, 2.0}) {
    const any_order_error x(value, 0.25);
    for (const double exact : {value - 0.25, value, value + 0.25})
      for (const double got : {exact - 0.25, exact + 0.25}) {
        EXPECT_TRUE(is_within_bound(exp(x), std::exp(got), exp(oracle100(exact)))) << value;
        EXPECT_TRUE(is_within_bound(tanh(x), std::tanh(got), tanh(oracle100(exact)))) << value;
        EXPECT_TRUE(is_within_bound(erf(x), std::erf(got), erf(oracle100(exact)))) << value;
        const any_order_error positive(value + 4, 0.25);
        EXPECT_TRUE(is_within_bound(log(positive), std::log(got + 4), log(oracle100(exact + 4))))
            << value;
      }
  }
}

TEST_F(AnyOrderErrorBoundLimits, ClampDoesNotIncreaseTheError) {
  const any_order_error low_value(-1), high_value(0.1);
  for (const double value : {-2.0, -1.0, 0.0, 0.1, 3.0}) {
    const any_order_error x(value, 0x1p-4);
    const any_order_error clamped = clamp(x, low_value, high_value);
    EXPECT_EQ(clamped.value, std::min(std::max(value, -1.0), 0.1));
    EXPECT_GE(clamped.error, x.error);
    EXPECT_LE(clamped.error, x.error + high_value.error);
  }
}

}  // namespace
}  // namespace normproof::ref::numeric
