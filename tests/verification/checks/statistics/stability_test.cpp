#include "verification/checks/statistics/stability.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/ref/numeric/special_values.hpp"

namespace normproof::tests::verification::checks::statistics {
namespace {

using namespace normproof::verification::checks::statistics;

StabilityReport judge(std::vector<double> theta) {
  return judge_stability(theta);
}

TEST(PowerNormStability, ThetaUpToOneIsStable) {
  const auto report = judge({0.1, 1, 0.5});
  EXPECT_EQ(report.stability, Stability::stable);
  EXPECT_EQ(report.max_theta, 1);
  EXPECT_EQ(report.steps_above_one, 0u);
  EXPECT_EQ(report.first_above_one, 0u);
  EXPECT_EQ(report.first_error, 0u);
  EXPECT_EQ(judge({}).stability, Stability::stable);
}

TEST(PowerNormStability, ThetaAboveOneIsAWarning) {
  const auto report = judge({0.1, std::nextafter(1.0, 2.0), 0.5, 1.5});
  EXPECT_EQ(report.stability, Stability::warning);
  EXPECT_EQ(report.max_theta, 1.5);
  EXPECT_EQ(report.steps_above_one, 2u);
  EXPECT_EQ(report.first_above_one, 2u);
}

TEST(PowerNormStability, ThetaOfTwoOrMoreIsAnErrorInTwoConsecutiveSteps) {
  EXPECT_EQ(judge({2, 1.9, 2, 0, 7}).stability, Stability::warning);
  const auto report = judge({3, 0, 2, 2, 5});
  EXPECT_EQ(report.stability, Stability::error);
  EXPECT_EQ(report.first_error, 4u);
  EXPECT_EQ(report.first_above_one, 1u);
  EXPECT_EQ(judge({2, std::nextafter(2.0, 0.0)}).stability, Stability::warning);
}

TEST(PowerNormStability, NaNCountsLikeALargeTheta) {
  using ref::numeric::kNaN;
  EXPECT_EQ(judge({kNaN}).stability, Stability::warning);
  const auto report = judge({kNaN, kNaN, 0.5});
  EXPECT_EQ(report.stability, Stability::error);
  EXPECT_TRUE(report.max_theta != report.max_theta);
}

TEST(PowerNormStability, EveryLevelHasAName) {
  EXPECT_EQ(to_string(Stability::stable), "stable");
  EXPECT_EQ(to_string(Stability::warning), "warning");
  EXPECT_EQ(to_string(Stability::error), "error");
}

}  // namespace
}  // namespace normproof::tests::verification::checks::statistics
