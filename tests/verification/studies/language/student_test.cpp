#include "verification/studies/language/student.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/ref/numeric/error_message.hpp"

namespace normproof::verification::studies::language {
namespace {

/// The relative error of Boost's quantile function, which is iterative, plus a few roundings.
constexpr double kQuantileTolerance = 0x1p-48;
/// The error of two differences of numbers below 8. Each difference is rounded once.
constexpr double kDifferenceError = 0x1p-50;

TEST(StudentT, ConfidenceIntervalUsesTheTabulatedQuantile) {
  // The 0.975 quantiles of Student's t with 4 degrees of freedom and with 1, which is tan(0.475
  // pi). The mean is 3 and s^2 is 2.5.
  constexpr double kQuantileFor4DegreesOfFreedom = 2.77644510519779436,
                   kQuantileFor1DegreeOfFreedom = 12.7062047361747046;
  const auto interval = student_interval({1, 2, 3, 4, 5});
  ASSERT_TRUE(interval);
  EXPECT_EQ(interval->mean, 3);
  EXPECT_EQ(interval->count, 5u);
  EXPECT_NEAR(interval->high, 3 + kQuantileFor4DegreesOfFreedom * std::sqrt(0.5),
              interval->high * kQuantileTolerance);
  EXPECT_NEAR(3 - interval->low, interval->high - 3, kDifferenceError);
  EXPECT_NEAR(student_interval({0, 2})->high, 1 + kQuantileFor1DegreeOfFreedom,
              (1 + kQuantileFor1DegreeOfFreedom) * kQuantileTolerance);
  EXPECT_EQ(student_interval({2, 2, 2})->low, 2);
}

TEST(StudentT, FewerThanTwoValuesHaveNoConfidenceInterval) {
  EXPECT_FALSE(student_interval({}));
  EXPECT_FALSE(student_interval({1}));
  EXPECT_FALSE(sample_deviation({1}));
  EXPECT_EQ(sample_deviation({1, 3}), std::sqrt(2.0));
}

/// Simulates many studies with `count` normal values of this mean and deviation 1. Returns the
/// fraction of studies in which the t test detects the difference from 0.
double simulate_power(double mean, std::size_t count) {
  std::mt19937_64 bits(1);
  const auto normal = [&] {  // a nearly normal number: a sum of twelve uniform ones
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(bits() >> 11) * 0x1p-53;
    return sum;
  };
  constexpr int kTrialCount = 20000;
  int found = 0;
  for (int trial = 0; trial < kTrialCount; ++trial) {
    std::vector<double> values(count);
    for (double& value : values) value = mean + normal();
    found += student_interval(values)->low > 0 ? 1 : 0;
  }
  return static_cast<double>(found) / kTrialCount;
}

TEST(StudentT, DetectableDifferenceIsFoundInEightOfTenStudies) {
  for (const std::size_t count : {3, 5, 10})
    EXPECT_NEAR(simulate_power(detectable_difference(1, count), count), 0.8, 0.015) << count;
  EXPECT_DOUBLE_EQ(detectable_difference(3, 5), 3 * detectable_difference(1, 5));
  EXPECT_EQ(detectable_difference(0, 5), 0);
}

TEST(StudentT, C1_RejectsACountBelowTwoOrAnInvalidDeviation) {
  for (const auto& [deviation, count] :
       {std::pair{1.0, std::size_t{1}}, std::pair{-1.0, std::size_t{5}},
        std::pair{std::numeric_limits<double>::quiet_NaN(), std::size_t{5}}})
    EXPECT_THAT(ref::numeric::contract_message([&] { detectable_difference(deviation, count); }),
                ::testing::HasSubstr("(C1)"));
}

}  // namespace
}  // namespace normproof::verification::studies::language
