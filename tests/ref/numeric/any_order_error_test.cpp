#include "ref/numeric/any_order_error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "ref/numeric/elementary.hpp"
#include "ref/numeric/random.hpp"
#include "ref/numeric/square_root.hpp"
#include "tests/ref/numeric/special_values.hpp"

namespace normproof::ref::numeric {
namespace {

using Floats = std::vector<float>;
/// A function that adds terms in float, in some order.
using FloatSum = std::function<float(const Floats&)>;

float sum_left_to_right(const Floats& terms) {
  float sum = 0;
  for (const float term : terms) sum += term;
  return sum;
}

float sum_pairwise(const Floats& terms) {
  if (terms.size() == 1) return terms[0];
  const auto middle = terms.begin() + static_cast<std::ptrdiff_t>(terms.size() / 2);
  return sum_pairwise(Floats(terms.begin(), middle)) + sum_pairwise(Floats(middle, terms.end()));
}

/// Adds like a GPU warp: eight lanes compute partial sums, and a tree adds the lanes.
float sum_in_lanes(const Floats& terms) {
  float lanes[8] = {};
  for (std::size_t i = 0; i < terms.size(); ++i) lanes[i % 8] += terms[i];
  for (std::size_t half = 4; half > 0; half /= 2)
    for (std::size_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  return lanes[0];
}

float sum_in_shuffled_order(Floats terms, std::uint64_t seed) {
  const RandomStream random(seed, "order");
  for (std::size_t i = terms.size(); i > 1; --i) std::swap(terms[i - 1], terms[random.below(i, i)]);
  return sum_left_to_right(terms);
}

std::vector<FloatSum> summation_orders() {
  std::vector<FloatSum> sums = {
      sum_left_to_right, sum_pairwise, sum_in_lanes,
      [](const Floats& terms) { return sum_left_to_right(Floats(terms.rbegin(), terms.rend())); }};
  for (std::uint64_t seed = 0; seed < 5; ++seed)
    sums.emplace_back([seed](const Floats& terms) { return sum_in_shuffled_order(terms, seed); });
  return sums;
}

Floats random_floats(std::string_view name, std::size_t count) {
  const RandomStream random(3, name);
  Floats x(count);
  for (std::size_t i = 0; i < count; ++i)
    x[i] = static_cast<float>(std::ldexp(random.normal(i), static_cast<int>(i % 7) - 3));
  return x;
}

bool is_within(double candidate, const any_order_error& bound, const oracle100& exact) {
  const oracle100 off = oracle100(candidate) - exact;
  return (off < 0 ? oracle100(-off) : off) <= oracle100(bound.error);
}

class WithFloat32Arithmetic : public ::testing::Test {
  const AnyOrderArithmetic arithmetic_{arithmetic_of_type(FloatType::float32)};
};
using AnyOrderErrorBound = WithFloat32Arithmetic;

TEST_F(AnyOrderErrorBound, CoversSumsInAnyOrder) {
  for (const std::size_t count : {2u, 3u, 7u, 64u, 1000u}) {
    const Floats x = random_floats("sum", count);
    any_order_error sum = 0;
    oracle100 exact = 0;
    double value = 0, magnitude = 0;
    for (const float term : x) {
      sum += any_order_error(term);
      exact += oracle100(term);
      value += term;
      magnitude += std::fabs(term);
    }
    EXPECT_EQ(sum.value, value);
    for (const FloatSum& candidate : summation_orders())
      EXPECT_TRUE(is_within(candidate(x), sum, exact)) << count;
    EXPECT_TRUE(is_within(sum.value, sum, exact));
    // The bound is close to the bound of [Hig02].
    EXPECT_LE(sum.error, 1.01 * (static_cast<double>(count) * 0x1p-24) * magnitude);
    EXPECT_FALSE(is_within(sum_left_to_right(Floats(x.begin(), x.end() - 1)), sum, exact)) << count;
  }
}

TEST_F(AnyOrderErrorBound, TreatsNestedSumsAsOneSumInAnyOrder) {
  const Floats x = random_floats("tree", 60);
  any_order_error parts[3] = {}, all = 0, flat = 0;
  oracle100 exact = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    parts[i % 3] += any_order_error(x[i]);
    flat += any_order_error(x[i]);
    exact += oracle100(x[i]);
  }
  all = parts[0] + parts[1];
  all -= -parts[2];
  for (const FloatSum& candidate : summation_orders())
    EXPECT_TRUE(is_within(candidate(x), all, exact));
  // The two bounds may differ by the rounding errors of their own computation.
  EXPECT_NEAR(all.error, flat.error, flat.error * 0x1p-40);
}

TEST_F(AnyOrderErrorBound, CoversOnlyOneRoundingOfADifferenceUnlessFactorsMayBeDistributed) {
  const auto difference = [] { return any_order_error(1e6F) - any_order_error(1e6F - 3); };
  EXPECT_LE(difference().error, 1.01 * 3 * 0x1p-24);
  const any_order_error third = any_order_error(1) / any_order_error(3);
  EXPECT_GE((third - third).error, 2 * third.error);
  // An implementation may add a third term before the second term.
  EXPECT_GE((difference() + any_order_error(1)).error, 2e6 * 0x1p-24);
  Arithmetic folded = arithmetic_of_type(FloatType::float32);
  folded.folded = true;
  const AnyOrderArithmetic scope(folded);
  EXPECT_GE(difference().error, 1.9e6 * 0x1p-24);
}

TEST_F(AnyOrderErrorBound, CoversDotProductsWithAndWithoutFma) {
  const Floats x = random_floats("x", 200), y = random_floats("y", 200);
  any_order_error sum = 0;
  oracle100 exact = 0;
  Floats products(x.size());
  float fused = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum += any_order_error(x[i]) * any_order_error(y[i]);
    exact += oracle100(x[i]) * oracle100(y[i]);
    products[i] = x[i] * y[i];
    fused = std::fma(x[i], y[i], fused);
  }
  EXPECT_TRUE(is_within(fused, sum, exact));
  for (const FloatSum& candidate : summation_orders())
    EXPECT_TRUE(is_within(candidate(products), sum, exact));
  products[100] = -products[100];
  EXPECT_FALSE(is_within(sum_left_to_right(products), sum, exact));
}

TEST_F(AnyOrderErrorBound, CoversProductsQuotientsAndRoots) {
  const Floats x = random_floats("a", 300), y = random_floats("b", 300);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const any_order_error a(x[i]), b(y[i]);
    const oracle100 exact_a(x[i]), exact_b(y[i]);
    const oracle100 magnitude = x[i] < 0 ? oracle100(-exact_a) : exact_a;
    EXPECT_TRUE(is_within(x[i] * y[i], a * b, exact_a * exact_b));
    EXPECT_TRUE(is_within(x[i] / y[i], a / b, exact_a / exact_b));
    EXPECT_TRUE(is_within(x[i] * (1 / y[i]), a / b, exact_a / exact_b));
    EXPECT_TRUE(is_within(std::sqrt(std::fabs(x[i])), square_root(x[i] < 0 ? -a : a),
                          square_root(magnitude)));
    // CUDA's rsqrtf may be off by 2 units in the last place, but not by 3.
    const double root = std::sqrt(std::fabs(static_cast<double>(x[i])));
    const double ulp = std::ldexp(1.0, std::ilogb(1 / root) - 23);
    const any_order_error inverse = 1 / square_root(x[i] < 0 ? -a : a);
    EXPECT_TRUE(is_within(1 / root + 2 * ulp, inverse, 1 / square_root(magnitude)));
    EXPECT_EQ((a * b).value, static_cast<double>(x[i]) * y[i]);
    EXPECT_LE((a * b).error, 1.01 * 4 * 0x1p-24 * std::fabs((a * b).value) + 0x1p-126);
    EXPECT_LE((a / b).error, 1.01 * 4 * 0x1p-24 * std::fabs((a / b).value) + 0x1p-126);
    EXPECT_LE(inverse.error, 1.01 * 8 * 0x1p-24 * inverse.value + 0x1p-120);
  }
}

TEST_F(AnyOrderErrorBound, CoversTheErrorsOfTheOperands) {
  const Floats x = random_floats("p", 90);
  for (std::size_t i = 0; i + 2 < x.size(); ++i) {
    // float32 cannot represent 0.1 and 0.3 exactly, and every step rounds once more.
    const float p = 0.1F * x[i] + 0.3F, q = p * x[i + 1] - x[i + 2],
                r = (q * q + 0.1F) / (p * p + 1);
    const any_order_error a(x[i]), b(x[i + 1]), c(x[i + 2]), tenth(0.1), three_tenths(0.3);
    const any_order_error bound_p = tenth * a + three_tenths, bound_q = bound_p * b - c,
                          bound_r = (bound_q * bound_q + tenth) / (bound_p * bound_p + 1);
    const oracle100 exact_p = oracle100(0.1) * oracle100(x[i]) + oracle100(0.3),
                    exact_q = exact_p * oracle100(x[i + 1]) - oracle100(x[i + 2]),
                    exact_r = (exact_q * exact_q + oracle100(0.1)) / (exact_p * exact_p + 1);
    EXPECT_TRUE(is_within(p, bound_p, exact_p));
    EXPECT_TRUE(is_within(q, bound_q, exact_q));
    EXPECT_TRUE(is_within(r, bound_r, exact_r));
    EXPECT_TRUE(is_within(std::sqrt(r), square_root(bound_r), square_root(exact_r)));
    EXPECT_LE(bound_r.error, 0x1p-10 * (1 + bound_r.value));
  }
}

template <class T, class Sum>
std::vector<T> normalize_row(const std::vector<T>& x, const T& eps, const Sum& sum) {
  const T count(static_cast<float>(x.size()));
  const T mean = sum(x) / count;
  std::vector<T> centred, squares;
  for (const T& element : x) {
    centred.push_back(element - mean);
    squares.push_back(centred.back() * centred.back());
  }
  using std::sqrt;
  const T rstd = T(1) / sqrt(sum(squares) / count + eps);
  for (T& element : centred) element *= rstd;
  return centred;
}

template <class T>
T sum_in_plain_order(const std::vector<T>& terms) {
  T sum = 0;
  for (const T& term : terms) sum += term;
  return sum;
}

TEST_F(AnyOrderErrorBound, CoversTwoPassLayerNormButNotOnePassVariance) {
  for (const float offset : {0.0F, 1.0F, 100.0F, 10000.0F}) {
    Floats x = random_floats("row", 48);
    for (float& element : x) element += offset;
    const auto bound = normalize_row(std::vector<any_order_error>(x.begin(), x.end()),
                                     any_order_error(1e-5), sum_in_plain_order<any_order_error>);
    const auto exact = normalize_row(std::vector<oracle100>(x.begin(), x.end()), oracle100(1e-5),
                                     sum_in_plain_order<oracle100>);
    const auto value =
        normalize_row(std::vector<double>(x.begin(), x.end()), 1e-5, sum_in_plain_order<double>);
    for (const FloatSum& sum : summation_orders()) {
      const Floats candidate = normalize_row(x, 1e-5F, sum);
      for (std::size_t i = 0; i < x.size(); ++i)
        EXPECT_TRUE(is_within(candidate[i], bound[i], exact[i])) << offset << " at " << i;
    }
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(bound[i].value, value[i]);
    // The one-pass variance E[x^2] - E[x]^2 loses all digits at the last offset.
    Floats squares;
    for (const float element : x) squares.push_back(element * element);
    const float mean = sum_left_to_right(x) / 48,
                variance = sum_left_to_right(squares) / 48 - mean * mean;
    if (offset == 10000) {
      EXPECT_FALSE(is_within((x[0] - mean) / std::sqrt(variance + 1e-5F), bound[0], exact[0]));
    }
    // The bound must also detect a missing eps. It matters in a row of small variance.
    for (float& element : x) element = (element - offset) * 0x1p-10F;
    const auto small = normalize_row(std::vector<any_order_error>(x.begin(), x.end()),
                                     any_order_error(1e-5), sum_in_plain_order<any_order_error>);
    const auto exact_small = normalize_row(std::vector<oracle100>(x.begin(), x.end()),
                                           oracle100(1e-5), sum_in_plain_order<oracle100>);
    EXPECT_FALSE(is_within(normalize_row(x, 0.0F, sum_left_to_right)[0], small[0], exact_small[0]));
  }
}

/// Computes the variance of a row and rstd as normalize_row does.
template <class T>
std::vector<T> variance_and_rstd(const std::vector<T>& x,
                                 const std::function<T(const std::vector<T>&)>& sum) {
  const T count = static_cast<T>(static_cast<double>(x.size()));
  const T mean = sum(x) / count;
  std::vector<T> squares;
  squares.reserve(x.size());
  for (const T& element : x) squares.push_back((element - mean) * (element - mean));
  T variance = sum(squares) / count;
  tighten_variance(variance, mean, x.size(), [&](std::size_t i) { return x[i]; });
  using std::sqrt;
  return {variance, T(1) / sqrt(variance + T(1e-5F))};
}

// The error of the mean is larger than the standard deviation from the offset 1e6 on. Whatever the
// computed mean is, the mean of the squared distances from it is at least the variance.
TEST_F(AnyOrderErrorBound, AVarianceIsNotBelowTheExactOneByMoreThanItsRoundings) {
  for (const float offset : {0.0F, 1e3F, 1e5F, 1e6F}) {
    Floats x = random_floats("row", 64);
    for (float& element : x) element += offset;
    const auto bound = variance_and_rstd<any_order_error>({x.begin(), x.end()},
                                                          sum_in_plain_order<any_order_error>);
    const auto exact =
        variance_and_rstd<oracle100>({x.begin(), x.end()}, sum_in_plain_order<oracle100>);
    EXPECT_GE(bound[0].least(), 0.99 * to_double(exact[0])) << offset;
    EXPECT_LE(bound[0].least(), to_double(exact[0])) << offset;
    EXPECT_LE(bound[1].error, 1.01 * to_double(exact[1])) << offset;
    for (const FloatSum& sum : summation_orders()) {
      const Floats candidate = variance_and_rstd<float>(x, sum);
      EXPECT_GE(candidate[0], bound[0].least()) << offset;
      for (std::size_t i = 0; i < 2; ++i)
        EXPECT_TRUE(is_within(candidate[i], bound[i], exact[i])) << offset << " " << i;
    }
  }
}

TEST_F(AnyOrderErrorBound, AVarianceMayBeSmallerByTheErrorsOfItsNumbers) {
  std::vector<any_order_error> x;
  for (const float v : {1.0F, 3.0F}) x.emplace_back(v, 0.25);
  const auto bound = variance_and_rstd<any_order_error>(x, sum_in_plain_order<any_order_error>);
  // The numbers 1.5 and 2.5 are possible for an implementation, with the variance 0.25.
  EXPECT_LE(bound[0].least(), 0.25);
  EXPECT_GE(bound[0].least(), 0.2);
}

// An implementation of a residual layer may subtract the mean from one term of each sum first. If
// the terms are large, this rounds the differences, although the sums themselves are exact.
TEST_F(AnyOrderErrorBound, AVarianceOfSumsMayBeSmallerByTheRoundingsOfTheirTerms) {
  const Floats first = {0x1p20F, 0x1p20F - 0x1p-4F}, second = {-0x1p20F, -0x1p20F + 0x1p-3F};
  std::vector<any_order_error> x;
  for (std::size_t i = 0; i < 2; ++i)
    x.push_back(any_order_error(first[i]) + any_order_error(second[i]));
  const auto bound = variance_and_rstd<any_order_error>(x, sum_in_plain_order<any_order_error>);
  EXPECT_EQ(bound[0].value, 0x1p-10);
  const float mean = 0x1p-5F;
  float squares = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    const float difference = (first[i] - mean) + second[i];
    squares += difference * difference;
  }
  EXPECT_LE(bound[0].least(), squares / 2);
}

TEST_F(AnyOrderErrorBound, AVarianceMayBeSmallerByErrorsWhoseSquaresUnderflow) {
  Arithmetic keeps_subnormals = arithmetic_of_type(FloatType::float64);
  keeps_subnormals.tiny *= 4 * keeps_subnormals.unit_roundoff;
  const AnyOrderArithmetic scope(keeps_subnormals);
  std::vector<any_order_error> x;
  for (const double v : {-0x1p-500, 0x1p-500}) x.emplace_back(v, 0x1p-539);
  const auto bound = variance_and_rstd<any_order_error>(x, sum_in_plain_order<any_order_error>);
  // An implementation may have numbers that are smaller by twice the error.
  const double smaller = 0x1p-500 - 0x1p-538;
  EXPECT_LE(bound[0].least(), smaller * smaller);
  EXPECT_GE(bound[0].least(), 0.99 * 0x1p-1000);
}

TEST_F(AnyOrderErrorBound, LowerBoundOfASquareIsNotNegative) {
  const any_order_error term_with_large_error(0, 1), other(0, 1);
  const any_order_error a = term_with_large_error + any_order_error(1e-3),
                        b = other + any_order_error(1e-3);
  EXPECT_EQ((a * a).least(), 0);
  EXPECT_LT((a * b).least(), 0);  // a different number with the same value and error
  EXPECT_LT((a - b).least(), 0);
  const any_order_error copy = a;
  EXPECT_EQ((copy * a).least(), 0);
  EXPECT_LT((a * -a).least(), 0);
}

TEST_F(AnyOrderErrorBound, EpsKeepsARootOfSquaresAwayFromZero) {
  const any_order_error d = any_order_error(0, 10) + any_order_error(1e-9);
  const any_order_error variance = (d * d + d * d) / any_order_error(2);
  constexpr double kEps = 1e-5;
  const any_order_error eps(kEps), root = square_root(variance + eps), rstd = 1 / root;
  EXPECT_GE(root.least(), 0.999 * std::sqrt(kEps));
  EXPECT_LE(root.least(), std::sqrt(kEps));
  EXPECT_LE(rstd.error, 1.01 / std::sqrt(kEps));
  // An implementation may compute any difference within the error.
  for (const float off : {0.0F, 1e-3F, 0.1F, 3.0F, 10.0F}) {
    const float q = off * off + 1e-5F;
    EXPECT_TRUE(
        is_within(1 / std::sqrt(q), rstd, 1 / square_root(oracle100(1e-18) + oracle100(1e-5))));
  }
  // E[x^2] - E[x]^2 may be negative.
  const any_order_error difference = d * d - d * d;
  EXPECT_FALSE(std::isfinite((1 / square_root(difference + eps)).error));
}

TEST_F(AnyOrderErrorBound, DivisionByAPowerOfTwoAddsNoError) {
  const any_order_error third = any_order_error(1) / any_order_error(3);
  EXPECT_LE((third / any_order_error(8)).error, 1.01 * third.error / 8);
  EXPECT_LE((any_order_error(1e6F) / any_order_error(1)).error, 0x1p-126);
  EXPECT_EQ(((third * third) / any_order_error(-2)).least() < 0, true);
  EXPECT_GT(((third * third) / any_order_error(2)).least(), 0.05);
}

TEST_F(AnyOrderErrorBound, IsZeroForExactOperations) {
  Arithmetic arithmetic = arithmetic_of_type(FloatType::float32);
  arithmetic.exact_operations = true;
  const AnyOrderArithmetic scope(arithmetic);
  const any_order_error a(1.5), b(-0.25);
  EXPECT_EQ((a * b + a - b).error, 0);
  EXPECT_EQ((a / any_order_error(8)).error, 0);
  EXPECT_GT((a / any_order_error(3)).error, 0);
  EXPECT_GT(square_root(any_order_error(2.25)).error, 0);
  EXPECT_GT((square_root(any_order_error(4)) * b).error, square_root(any_order_error(4)).error / 4);
}

TEST_F(AnyOrderErrorBound, C1_ConstantsAreExactIfTheFormatRepresentsThem) {
  for (const double held : {0.0, -0.0, 0.5, -3.0, 1 + 0x1p-23, 0x1p-126, 0x1.fffffep+127})
    EXPECT_EQ(any_order_error(held).error, 0) << held;
  for (const double other : {0.1, 1 + 0x1p-24, -1 - 0x1p-52, 1e-5, 16777217.0}) {
    const any_order_error constant(other);
    EXPECT_EQ(constant.value, other);
    EXPECT_GE(constant.error, std::fabs(static_cast<double>(static_cast<float>(other)) - other));
    EXPECT_GT(constant.error, 0);
    EXPECT_LE(constant.error, 1.01 * (0x1p-24 * std::fabs(other) + 0x1p-126));
  }
  // An implementation may flush subnormal constants to 0.
  EXPECT_GE(any_order_error(0x1p-130).error, 0x1p-130);
  const AnyOrderArithmetic bfloat16_arithmetic(arithmetic_of_type(FloatType::bfloat16));
  EXPECT_EQ(any_order_error(0x1.fep0).error, 0);
  EXPECT_GE(any_order_error(0x1.ffp0).error, 0x1p-8);
}

TEST_F(AnyOrderErrorBound, CoversUnderflowFlushedToZero) {
  const float x = 0x1.8p-70F;
  const any_order_error product = any_order_error(x) * any_order_error(x);
  EXPECT_TRUE(is_within(0, product, oracle100(x) * oracle100(x)));
  EXPECT_LE(product.error, 1.01 * 0x1p-126);
}

}  // namespace
}  // namespace normproof::ref::numeric
