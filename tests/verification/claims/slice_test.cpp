#include "verification/claims/slice.hpp"

#include <gtest/gtest.h>

namespace normproof::verification::claims {
namespace {

double d(const oracle50& v) {
  return static_cast<double>(v);
}

std::vector<double> d(const std::vector<oracle50>& values) {
  std::vector<double> result;
  for (const oracle50& v : values) result.push_back(d(v));
  return result;
}

Batch column_of(std::vector<double> x, std::vector<double> g, double eps = 0) {
  Batch b;
  b.rows = x.size();
  b.features = 1;
  b.x = std::move(x);
  b.grad_y = std::move(g);
  b.eps = eps;
  return b;
}

TEST(Members, PartTheElements) {
  Batch b;
  b.rows = 4, b.features = 2;
  EXPECT_EQ(columns(b), (std::vector<Members>{{0, 2, 4, 6}, {1, 3, 5, 7}}));
  EXPECT_EQ(rows(b), (std::vector<Members>{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
  EXPECT_EQ(sample_groups(b, 2, 2), (std::vector<Members>{{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
  EXPECT_EQ(sample_groups(b, 2, 1), (std::vector<Members>{{0, 1, 2, 3}, {4, 5, 6, 7}}));
}

// x = (1, 3): mean 2, variance 1, x_hat = (-1, 1).
TEST(Slice, CentredByHand) {
  const Batch b = column_of({1, 3, 1, 3}, {1, 0, 0, 0});
  const Slice s(b, columns(b)[0], Statistic::variance);
  EXPECT_EQ(d(s.mean), 2);
  EXPECT_EQ(d(s.statistic), 1);
  EXPECT_EQ(d(s.s), 1);
  EXPECT_EQ(d(s.x_hat), (std::vector<double>{-1, 1, -1, 1}));
  EXPECT_EQ(d(s.sum_g()), 1);
  EXPECT_EQ(d(s.sum_g_x_hat()), -1);
  EXPECT_EQ(d(s.sum_g_squared()), 1);
  // a = 1/4, c = -1/4: g - a - x_hat c
  EXPECT_EQ(d(s.grad_x), (std::vector<double>{0.5, 0, -0.5, 0}));
}

// x = (3, 4, 0, 0) with eps = 6: psi^2 = 25/4, s = 3.5.
TEST(Slice, QuadraticMeanByHand) {
  const Batch b = column_of({3, 4, 0, 0}, {0, 0, 1, 7}, 6);
  const Slice s(b, columns(b)[0], Statistic::quadratic_mean);
  EXPECT_EQ(d(s.mean), 0);
  EXPECT_EQ(d(s.statistic), 6.25);
  EXPECT_EQ(d(s.s), 3.5);
  EXPECT_EQ(d(s.grad_x[3]), 2);  // g is orthogonal to x
  EXPECT_EQ(d(s.grad_x[0]), 0);
}

TEST(Slice, SquareSumByHand) {
  const Batch b = column_of({3, 4}, {5, 0});
  const Slice s(b, columns(b)[0], Statistic::square_sum);
  EXPECT_EQ(d(s.s), 5);
  EXPECT_EQ(d(s.divisor), 1);
  EXPECT_TRUE(absolute(s.grad_x[0] - oracle50(16) / 25) <= epsilon50());  // (5 - 0.6 * 3)/5
}

TEST(Slice, PaddedRowsFeelStatisticsButDoNotMakeThem) {
  Batch b = column_of({1, 3, 100}, {0, 0, 1});
  b.valid = {true, true, false};
  const Slice s(b, columns(b)[0], Statistic::variance);
  EXPECT_EQ(d(s.mean), 2);
  EXPECT_EQ(d(s.statistic), 1);
  EXPECT_EQ(d(s.divisor), 2);
  EXPECT_EQ(d(s.x_hat[2]), 98);
  EXPECT_EQ(d(s.grad_x[2]), 1);          // g / s
  EXPECT_EQ(d(s.grad_x[0]), -0.5 + 49);  // -(a + x_hat c), a = 1/2, c = 49
}

TEST(Slice, TakesGammaOfItsFeature) {
  Batch b;
  b.rows = 1, b.features = 2;
  b.x = {1, 3};
  b.grad_y = {10, 100};
  b.gamma = {2, 3};
  EXPECT_EQ(d(Slice(b, rows(b)[0], Statistic::variance).g), (std::vector<double>{20, 300}));
}

TEST(Slice, RoundoffGrowsWithCentring) {
  const Batch near = column_of({0, 1}, {1, 0}), far = column_of({0x1p40, 0x1p40 + 1}, {1, 0});
  const Slice n(near, columns(near)[0], Statistic::variance);
  const Slice f(far, columns(far)[0], Statistic::variance);
  EXPECT_TRUE(n.gradient_roundoff() > 0);
  EXPECT_TRUE(f.gradient_roundoff() > n.gradient_roundoff() * 0x1p38);
  EXPECT_TRUE(f.gradient_roundoff() < oracle50(0x1p-100));
  EXPECT_TRUE(f.x_hat_roundoff() > n.x_hat_roundoff());
  EXPECT_TRUE(f.square_roundoff() > n.square_roundoff());
}

}  // namespace
}  // namespace normproof::verification::claims
