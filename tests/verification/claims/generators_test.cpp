#include "verification/claims/generators.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace normproof::verification::claims {
namespace {

rc::Random random_number(std::uint64_t i) {
  return rc::Random(rc::Random::Key{1, 2, i, 0});
}

TEST(Draw, StaysInItsRanges) {
  Draw draw(random_number(0));
  double least = 1, most = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::size_t n = draw.between(3, 5);
    EXPECT_TRUE(3 <= n && n <= 5);
    const double u = draw.uniform();
    EXPECT_TRUE(0 <= u && u < 1);
    least = std::min(least, u);
    most = std::max(most, u);
    const double p = std::fabs(draw.power(-3, 2));
    EXPECT_TRUE(0.125 <= p && p < 8) << p;
    const double d = draw.dyadic();
    EXPECT_TRUE(-4 <= d && d <= 4 && d * 4 == std::trunc(d * 4)) << d;
    EXPECT_LE(std::fabs(draw.normal()), 6);
  }
  EXPECT_LT(least, 0.01);
  EXPECT_GT(most, 0.99);
}

TEST(Draw, SizedRangesOpenWithTheSize) {
  std::size_t most_small = 0, most_large = 0;
  Draw small(random_number(0), 1), large(random_number(0), 100);
  for (int i = 0; i < 500; ++i) {
    most_small = std::max(most_small, small.sized(2, 12));
    most_large = std::max(most_large, large.sized(2, 12));
  }
  EXPECT_EQ(most_small, 3u);
  EXPECT_EQ(most_large, 12u);
  EXPECT_EQ(small.sized(4, 4), 4u);
}

TEST(Simpler, EveryChainEnds) {
  for (const double start : {0.1, -3.7, 1e300, -0x1p-1074, 12345.678, 0.3333333333333333}) {
    std::set<double> reached{start};
    std::vector<double> front{start};
    int generations = 0;
    while (!front.empty()) {
      ASSERT_LT(++generations, 3000);
      std::vector<double> next;
      for (const double v : front)
        for (const double simple : simpler(v))
          if (reached.insert(simple).second) next.push_back(simple);
      front = next;
    }
    EXPECT_EQ(reached.count(0), 1u) << start;
  }
}

TEST(Simpler, BeginsWithTheSimplestAndNeverRepeats) {
  EXPECT_EQ(simpler(0.1).front(), 0);
  EXPECT_TRUE(simpler(0).empty());
  EXPECT_EQ(simpler(1), std::vector<double>{0});
  EXPECT_EQ(simpler(-1), (std::vector<double>{0, 1}));
  for (const double v : simpler(-3.7)) EXPECT_NE(v, -3.7);
}

const BatchKind kKinds[] = {
    {},
    {.least_rows = 2, .most_rows = 5, .most_features = 1, .affine = false, .degenerate = false},
    {.zero_gamma = false, .masked = true},
    {.least_eps = 0, .most_eps = 0, .extras = 2}};

void expect_in(const BatchKind& kind, const Batch& b) {
  EXPECT_LE(kind.least_rows, b.valid_rows());
  EXPECT_LE(b.rows, kind.most_rows + (kind.masked ? 4 : 0));
  EXPECT_TRUE(kind.least_features <= b.features && b.features <= kind.most_features);
  EXPECT_EQ(b.x.size(), b.rows * b.features);
  EXPECT_EQ(b.grad_y.size(), b.x.size());
  EXPECT_TRUE(b.gamma.empty() || b.gamma.size() == b.features);
  EXPECT_TRUE(b.beta.empty() || b.beta.size() == b.features);
  EXPECT_TRUE(b.valid.empty() || b.valid.size() == b.rows);
  EXPECT_TRUE(kind.affine || (b.gamma.empty() && b.beta.empty()));
  EXPECT_TRUE(kind.masked || b.valid.empty());
  EXPECT_TRUE(kind.least_eps <= b.eps && b.eps <= kind.most_eps) << b.eps;
  EXPECT_EQ(b.extra.size(), kind.extras);
  for (const double v : b.extra) EXPECT_TRUE(0x1p-6 <= v && v <= 0x1p6) << v;
  for (const double v : b.gamma) EXPECT_TRUE(kind.zero_gamma || v != 0);
  for (const double v : b.x) EXPECT_TRUE(std::isfinite(v));
}

TEST(Batches, AndAllTheyShrinkToAreOfTheirKind) {
  for (const BatchKind& kind : kKinds) {
    const auto cases = batches(kind);
    for (std::uint64_t i = 0; i < 100; ++i) {
      const auto generated = cases(random_number(i), static_cast<int>(i) + 1);
      expect_in(kind, generated.value());
      auto shrinks = generated.shrinks();
      while (const auto shrink = shrinks.next()) expect_in(kind, shrink->value());
    }
  }
}

TEST(Batches, HoldTheHardKinds) {
  const auto cases = batches({.masked = true});
  bool constant = false, offset = false, one_row = false, padded = false, no_gamma = false;
  for (std::uint64_t i = 0; i < 500; ++i) {
    const Batch b = cases(random_number(i), 1 + static_cast<int>(i / 5)).value();
    const std::vector<double> x = column(b.x, b.features, 0);
    const auto [least, most] = std::minmax_element(x.begin(), x.end());
    constant = constant || (b.rows > 2 && *least == *most);
    offset = offset || (b.rows > 2 && std::fabs(*least) > 1e6 * (*most - *least) && *most > *least);
    one_row = one_row || b.rows == 1;
    padded = padded || b.valid_rows() < b.rows;
    no_gamma = no_gamma || b.gamma.empty();
  }
  EXPECT_TRUE(constant && offset && one_row && padded && no_gamma);
}

TEST(Batches, AcceptFiltersCasesAndShrinks) {
  const auto ok = [](const Batch& b) { return b.x[0] > 0; };
  const auto cases = batches({}, ok);
  for (std::uint64_t i = 0; i < 50; ++i) {
    const auto generated = cases(random_number(i), 50);
    EXPECT_TRUE(ok(generated.value()));
    auto shrinks = generated.shrinks();
    while (const auto shrink = shrinks.next()) EXPECT_TRUE(ok(shrink->value()));
  }
  const auto none = batches({}, [](const Batch&) { return false; });
  EXPECT_THROW(none(random_number(0), 50).value(), ref::numeric::ContractError);
}

TEST(Batch, GoesIntoInputsAsItIs) {
  Batch b;
  b.rows = 2, b.features = 2;
  b.x = {1, 2, 3, 4};
  b.gamma = {5, 6};
  b.valid = {true, false};
  const auto in = b.inputs<oracle50>();
  EXPECT_EQ(in.x.shape(0), 2u);
  EXPECT_TRUE(in.x(1, 0) == 3);
  EXPECT_TRUE(in.gamma(1) == 6);
  EXPECT_TRUE(in.valid(0));
  EXPECT_FALSE(in.valid(1));
  EXPECT_EQ(in.grad_y.dimension(), 0u);
  EXPECT_EQ(in.beta.dimension(), 0u);
  EXPECT_EQ(b.valid_rows(), 1u);
}

TEST(Show, IsShortAndReadsBack) {
  EXPECT_EQ(show(std::vector<double>{-1, -0.0, 0.1}), "(-1, 0, 0.1)");
  Batch b;
  b.rows = 2, b.features = 2;
  b.x = {1, 2, 2, 3};
  b.eps = 1e-5;
  EXPECT_EQ(show(b), "x = ((1, 2), (2, 3)), eps = 1e-05");
  b.features = 1;
  b.x = {1, 2};
  b.grad_y = {0, 1};
  b.valid = {true, false};
  EXPECT_EQ(show(b), "x = (1, 2), grad_y = (0, 1), valid = (1, 0), eps = 1e-05");
  EXPECT_EQ(show(oracle50(2) / 3), "0.666667");
}

}  // namespace
}  // namespace normproof::verification::claims
