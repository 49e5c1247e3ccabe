#include "verification/checks/lipschitz/low_rank.hpp"

#include <gtest/gtest.h>

#include "ref/numeric/random.hpp"
#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/checks/lipschitz/brute_force.hpp"

namespace normproof::tests::verification::checks::lipschitz {
namespace {

using namespace normproof::verification::checks::lipschitz;
using normproof::ref::numeric::ball;
using normproof::ref::numeric::RandomStream;
using normproof::ref::numeric::to_double;

DiagonalMinusRankTwo make_matrix(const std::vector<double>& diagonal, const std::vector<double>& u,
                                 const std::vector<double>& v) {
  return {{diagonal.begin(), diagonal.end()}, {u.begin(), u.end()}, {v.begin(), v.end()}};
}

oracle100 expected_top_eigenvalue(const std::vector<double>& d, const std::vector<double>& u,
                                  const std::vector<double>& v) {
  Matrix a(d.size(), std::vector<oracle100>(d.size()));
  for (std::size_t i = 0; i < d.size(); ++i) {
    for (std::size_t j = 0; j < d.size(); ++j)
      a[i][j] = -oracle100(u[i]) * u[j] - oracle100(v[i]) * v[j];
    a[i][i] += d[i];
  }
  return largest_eigenvalue(a);
}

/// The allowed relative error: top_eigenvalue encloses its result within 2^-40.
constexpr double kEigenvalueTolerance = 0x1p-40;

void expect_top_eigenvalue(const std::vector<double>& d, const std::vector<double>& u,
                           const std::vector<double>& v) {
  const auto a = make_matrix(d, u, v);
  const double top = to_double(expected_top_eigenvalue(d, u, v));
  // `top` is rounded to double. Balls of 128 bits resolve a difference of a thousand of its ulps.
  const double ulps = 1000 * 0x1p-53 * top;
  EXPECT_TRUE(is_above_all_eigenvalues(a, ball(top + ulps)));
  EXPECT_FALSE(is_above_all_eigenvalues(a, ball(top - ulps)));
  const double found = top_eigenvalue(a).above.upper();
  EXPECT_GE(found, top * (1 - 0x1p-52));
  EXPECT_LE(found, top * (1 + kEigenvalueTolerance));
}

TEST(DiagonalPlusLowRank, LargestEigenvalueIsEnclosedToTwelveDigits) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const RandomStream random(seed, "low rank");
    const std::size_t n = 1 + seed % 8;
    std::vector<double> d, u, v;
    for (std::size_t i = 0; i < n; ++i) {
      d.push_back(1 + random.normal(3 * i) * random.normal(3 * i));
      u.push_back(0.7 * random.normal(3 * i + 1));
      v.push_back(0.7 * random.normal(3 * i + 2));
    }
    SCOPED_TRACE(seed);
    if (expected_top_eigenvalue(d, u, v) > 1e-3) expect_top_eigenvalue(d, u, v);
  }
}

TEST(DiagonalPlusLowRank, DiagonalElementsMayBeEqualAndVectorsZero) {
  expect_top_eigenvalue({4, 4, 4, 1}, {1, 1, 0, 0}, {0, 1, 1, 0});
  expect_top_eigenvalue({4, 4, 1, 1}, {0.5, 0, 0, 0}, {0, 0.5, 0, 0});
  expect_top_eigenvalue({4, 3, 2}, {0, 0, 0}, {0, 0, 0});
  expect_top_eigenvalue({9, 1, 1, 1}, {2.5, 0, 0, 0}, {0, 0, 0, 0});
  expect_top_eigenvalue({9, 8, 1}, {2.5, 1, 0}, {1, 2.5, 0});
}

TEST(DiagonalPlusLowRank, ComparisonIsFalseIfTheEnclosureIsUndecided) {
  const auto a = make_matrix({4, 1, 1}, {0, 0, 0}, {0, 0, 0});
  EXPECT_FALSE(
      is_above_all_eigenvalues(a, ball(4)));  // an eigenvalue is not an upper bound above itself
  EXPECT_FALSE(is_above_all_eigenvalues(a, hull(ball(3), ball(5))));
  EXPECT_TRUE(is_above_all_eigenvalues(a, hull(ball(5), ball(6))));
}

TEST(DiagonalPlusLowRank, ZeroMatrixHasEigenvalueZero) {
  EXPECT_EQ(top_eigenvalue(make_matrix({0, 0}, {0, 0}, {0, 0})).above.upper(), 0);
}

TEST(TopEigenvalue, C1_RejectsAMatrixWithoutRows) {
  EXPECT_EQ(normproof::ref::numeric::contract_message([] { top_eigenvalue({}); }),
            "top_eigenvalue: a has no rows; expected 1 or more (C1)");
}

}  // namespace
}  // namespace normproof::tests::verification::checks::lipschitz
