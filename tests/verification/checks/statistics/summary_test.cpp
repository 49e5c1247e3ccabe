#include "verification/checks/statistics/summary.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "tests/ref/numeric/error_message.hpp"

namespace normproof::tests::verification::checks::statistics {
namespace {

using namespace normproof::verification::checks::statistics;
using normproof::ref::numeric::contract_message;

TEST(Summary, HoldsMinimumMeanAndMaximum) {
  const std::vector<double> values = {4, 1, 7};
  const Summary summary = summarize(values);
  EXPECT_EQ(summary.least, 1);
  EXPECT_EQ(summary.mean, 4);
  EXPECT_EQ(summary.largest, 7);
}

TEST(Summary, PropagatesNaN) {
  const std::vector<double> values = {4, std::numeric_limits<double>::quiet_NaN(), 7};
  const Summary summary = summarize(values);
  EXPECT_TRUE(summary.least != summary.least);
  EXPECT_TRUE(summary.mean != summary.mean);
  EXPECT_TRUE(summary.largest != summary.largest);
}

TEST(Summarize, C1_RejectsEmptyValues) {
  const std::string refusal = "summarize: values is empty; expected at least one value (C1)";
  EXPECT_EQ(contract_message([] { summarize(std::vector<double>{}); }), refusal);
  EXPECT_EQ(contract_message([] { summarize(Statistics(), &BatchRecord::pad_fraction); }), refusal);
}

TEST(Summary, IgnoresStepsWithoutTheQuantity) {
  RecordedScenario followed;
  followed.steps.resize(3);
  EXPECT_FALSE(summarize(followed, &RecordedStep::mean));
  EXPECT_FALSE(summarize(followed, &NuUpdate::max_nu));
  followed.steps[1].mean = Fluctuation{2, 20};
  followed.steps[2].mean = Fluctuation{4, 40};
  followed.steps[2].recursion = NuUpdate{1, 5, 3};
  const auto fluctuation = summarize(followed, &RecordedStep::mean);
  ASSERT_TRUE(fluctuation);
  EXPECT_EQ(fluctuation->absolute.mean, 3);
  EXPECT_EQ(fluctuation->relative.largest, 40);
  EXPECT_EQ(summarize(followed, &NuUpdate::max_nu)->least, 5);
}

TEST(Summary, CoversEveryBatch) {
  Statistics statistics;
  statistics.batches = {{.pad_fraction = 0.25}, {.pad_fraction = 0.75}};
  EXPECT_EQ(summarize(statistics, &BatchRecord::pad_fraction).mean, 0.5);
}

}  // namespace
}  // namespace normproof::tests::verification::checks::statistics
