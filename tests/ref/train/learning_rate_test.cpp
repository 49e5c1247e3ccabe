#include "ref/train/learning_rate.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ref/numeric/square_root.hpp"
#include "tests/ref/numeric/error_message.hpp"
#include "tests/ref/numeric/special_values.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::ref::train {
namespace {

using model::ConstantRate;
using model::InverseSquareRoot;
using model::LinearWarmup;
using model::ScheduleOptions;
using numeric::contract_message;

constexpr std::int64_t kMaxSteps = std::int64_t{1} << 53;

TEST(LearningRate, MatchesHandComputedValues) {
  for (const std::int64_t step : {std::int64_t{1}, std::int64_t{7}, kMaxSteps})
    EXPECT_BITS_EQ(learning_rate(ConstantRate{}, 0.3, step), 0.3);
  const double linear[] = {0.5, 1, 1.5, 2, 2, 2};
  const double inverse[] = {
      0.5, 1, 1.5, 2, 2 * numeric::square_root(0.8), 2 * numeric::square_root(4.0 / 6.0)};
  for (int t = 1; t <= 6; ++t) {
    EXPECT_BITS_EQ(learning_rate(LinearWarmup{4}, 2, t), linear[t - 1]);
    EXPECT_BITS_EQ(learning_rate(InverseSquareRoot{4}, 2, t), inverse[t - 1]);
  }
  EXPECT_BITS_EQ(learning_rate(InverseSquareRoot{4}, 2, 16), 1.0);
  EXPECT_BITS_EQ(learning_rate(InverseSquareRoot{1}, 2, 16), 0.5);
  EXPECT_BITS_EQ(learning_rate(LinearWarmup{0}, 2, 1), 2.0);
}

TEST(LearningRate, PeaksAtTheBaseRateAtTheEndOfTheWarmup) {
  for (const ScheduleOptions& options :
       {ScheduleOptions(InverseSquareRoot{1000}), ScheduleOptions(LinearWarmup{1000})}) {
    EXPECT_BITS_EQ(learning_rate(options, 0.1, 1000), 0.1);
    double last = 0;
    for (int t = 1; t <= 1000; ++t) {
      const double rate = learning_rate(options, 0.1, t);
      EXPECT_GT(rate, last);
      last = rate;
    }
    for (int t = 1001; t <= 3000; ++t) {
      const double rate = learning_rate(options, 0.1, t);
      EXPECT_LE(rate, last);
      last = rate;
    }
  }
}

TEST(LearningRate, C1_RejectsNegativeOrNonFiniteBaseRate) {
  for (const double wrong : {-0.1, numeric::kNaN, numeric::kInfinity})
    EXPECT_EQ(contract_message([&] { learning_rate(ConstantRate{}, wrong, 1); }),
              fmt::format("learning_rate: base_rate is {}; expected base_rate >= 0 (C1)", wrong));
}

TEST(LearningRate, C2_RejectsStepsOutOfRange) {
  for (const std::int64_t wrong : {std::int64_t{0}, std::int64_t{-3}, kMaxSteps + 1})
    EXPECT_EQ(contract_message([&] { learning_rate(ConstantRate{}, 1, wrong); }),
              fmt::format("learning_rate: step is {}; expected 1 <= step <= 2^53 (C2)", wrong));
}

TEST(LearningRate, C3_RejectsWarmupStepsOutOfRange) {
  EXPECT_EQ(contract_message([] { learning_rate(LinearWarmup{-1}, 1, 1); }),
            "learning_rate: warmup_steps is -1; expected 0 <= warmup_steps <= 2^53 (C3)");
  EXPECT_EQ(contract_message([] { learning_rate(InverseSquareRoot{0}, 1, 1); }),
            "learning_rate: warmup_steps is 0; expected 1 <= warmup_steps <= 2^53 (C3)");
}

}  // namespace
}  // namespace normproof::ref::train
