#include "ref/ops/fma_chain.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "ref/numeric/random.hpp"
#include "ref/numeric/real.hpp"
#include "tests/ref/ops/naive_matmul.hpp"
#include "tests/verification/checks/compare/expect.hpp"
#include "verification/checks/compare/bound.hpp"

namespace normproof::ref::ops {
namespace {

struct ChainTerms {
  std::vector<double> a;
  std::vector<double> b;
};

ChainTerms random_terms(std::size_t count) {
  const numeric::RandomStream random(11, "chain");
  ChainTerms t;
  for (std::size_t k = 0; k < count; ++k) {
    t.a.push_back(random.normal(2 * k));
    t.b.push_back(random.normal(2 * k + 1));
  }
  return t;
}

double sum_chain(const ChainTerms& t) {
  double sum = -1;
  fma_chain(
      t.a.size(), [&](std::size_t k) { return t.a[k]; }, [&](std::size_t k) { return t.b[k]; },
      sum);
  return sum;
}

constexpr std::size_t kChainLengths[] = {0, 1, 2, 3, 17, 255, 256, 257, 511, 512, 513, 1000};

TEST(FmaChain, FollowsTheDocumentedOrder) {
  for (const std::size_t count : kChainLengths) {
    const ChainTerms t = random_terms(count);
    const MatrixView<const double> a = matrix(t.a.data(), 1, count);
    const MatrixView<const double> b = matrix(t.b.data(), count, 1);
    EXPECT_BITS_EQ(sum_chain(t), naive_element(a, b, 0, 0));
  }
}

TEST(FmaChain, DiffersFromASingleBlockAndFromSumsOfRoundedProducts) {
  const ChainTerms t = random_terms(513);
  double one_chain = 0;
  double rounded_products = 0;
  for (std::size_t k = 0; k < 513; ++k) one_chain = std::fma(t.a[k], t.b[k], one_chain);
  for (std::size_t k = 0; k < 256; ++k) rounded_products += t.a[k] * t.b[k];
  EXPECT_NE(sum_chain(t), one_chain) << "the data cannot tell the blocks apart";
  EXPECT_NE(sum_chain({{t.a.begin(), t.a.begin() + 256}, {t.b.begin(), t.b.begin() + 256}}),
            rounded_products)
      << "the data cannot tell fma from a rounded product";
}

TEST(FmaChain, AddsToTheOldTotalBeforeTheFirstBlock) {
  const ChainTerms t = random_terms(300);
  const ChainTerms head{{t.a.begin(), t.a.begin() + 256}, {t.b.begin(), t.b.begin() + 256}};
  const ChainTerms tail{{t.a.begin() + 256, t.a.end()}, {t.b.begin() + 256, t.b.end()}};
  double sum = 0.1;
  fma_chain(
      300, [&](std::size_t k) { return t.a[k]; }, [&](std::size_t k) { return t.b[k]; }, sum, true);
  EXPECT_BITS_EQ(sum, (0.1 + sum_chain(head)) + sum_chain(tail));
  double kept = 0.1;
  fma_chain(
      0, [](std::size_t) { return 1.0; }, [](std::size_t) { return 1.0; }, kept, true);
  EXPECT_BITS_EQ(kept, 0.1);
}

TEST(FmaChain, ZeroResultsHaveTheDocumentedSign) {
  EXPECT_BITS_EQ(sum_chain({{}, {}}), 0.0);
  EXPECT_BITS_EQ(sum_chain({{-0.0}, {1}}), 0.0);
  EXPECT_BITS_EQ(sum_chain({{-0.0, 0.0}, {1, -1}}), 0.0);
  EXPECT_BITS_EQ(sum_chain({{1, -1}, {1, 1}}), 0.0);
  EXPECT_BITS_EQ(sum_chain({{-0x1p-600}, {0x1p-600}}), -0.0) << "by underflow";
  EXPECT_BITS_EQ(sum_chain({{-0x1p-600, 0}, {0x1p-600, 1}}), 0.0);
}

/// A scalar that counts roundings instead of adding numbers. The count of a sum is the largest
/// number of roundings that one of its terms passes through.
struct RoundingCountScalar {
  int roundings = -1;  ///< -1 means +0, with nothing added yet
  RoundingCountScalar(int r = 0) : roundings(r - 1) {}
  RoundingCountScalar& operator+=(const RoundingCountScalar& b) {
    roundings = std::max(roundings, b.roundings) + 1;
    return *this;
  }
};
RoundingCountScalar multiply_add(const RoundingCountScalar&, const RoundingCountScalar&,
                                 const RoundingCountScalar& c) {
  RoundingCountScalar result;
  result.roundings = std::max(c.roundings, 0) + 1;
  return result;
}

TEST(FmaChain, NumberOfRoundingsMatchesTheErrorBound) {
  for (std::size_t count = 1; count <= 1100; ++count) {
    RoundingCountScalar longest;
    const auto any = [](std::size_t) { return RoundingCountScalar(); };
    fma_chain(count, any, any, longest);
    EXPECT_EQ(verification::checks::compare::bound::matmul_roundings(count),
              static_cast<std::size_t>(longest.roundings))
        << count;
  }
  EXPECT_EQ(verification::checks::compare::bound::matmul_roundings(0), 0u);
}

TEST(FmaChain, ChainInRunningErrorArithmeticHasTheValueOfDouble) {
  for (const std::size_t count : kChainLengths) {
    const ChainTerms t = random_terms(count);
    numeric::running_error sum;
    fma_chain(
        count, [&](std::size_t k) { return numeric::running_error(t.a[k]); },
        [&](std::size_t k) { return numeric::running_error(t.b[k]); }, sum);
    EXPECT_BITS_EQ(sum.value, sum_chain(t));
    numeric::rational exact(0);
    for (std::size_t k = 0; k < count; ++k)
      exact += numeric::rational(t.a[k]) * numeric::rational(t.b[k]);
    EXPECT_LE(abs(numeric::rational(sum.value) - exact), numeric::rational(sum.error)) << count;
  }
}

}  // namespace
}  // namespace normproof::ref::ops
