#include "verification/golden/gate/detection_power.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/numeric/errors.hpp"

namespace normproof::verification::golden::gate {
namespace {

using ::testing::Each;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(MeasureDetectionPower, GateRejectsEveryMutationOfALayerAndNoCorrectStyle) {
  std::size_t calls = 0;
  const auto layers = measure_detection_power(
      {.only = "rms_norm", .seeds = 2, .jobs = 2, .finished = [&](auto&, auto, auto) { ++calls; }});
  ASSERT_THAT(layers, SizeIs(1));
  EXPECT_EQ(calls, 2u);
  const LayerDetectionPower& power = layers[0];
  EXPECT_EQ(power.layer, "rms_norm");
  EXPECT_GT(power.cases, 20u);
  EXPECT_GT(power.verdicts.size(), 60u);
  EXPECT_EQ(power.checks, 2 * power.styles * power.cases);
  EXPECT_THAT(power.false_alarms, IsEmpty());
  EXPECT_TRUE(power.planted.all_refused());
  EXPECT_GT(power.planted.total().refused, 10'000u);
  EXPECT_EQ(power.planted.total().unjudged, 0u);
  EXPECT_EQ(power.count_killed_mutations(2), power.verdicts.size());
  EXPECT_THAT(power.verdicts,
              Each(Field(&MutationVerdict::killer, testing::StartsWith("quick/rms_norm/"))));
}

TEST(MeasureDetectionPower, DoesNotDependOnTheNumberOfJobs) {
  const auto one = measure_detection_power({.only = "group_scaling", .jobs = 1});
  const auto two = measure_detection_power({.only = "group_scaling", .jobs = 2});
  ASSERT_EQ(one[0].verdicts.size(), two[0].verdicts.size());
  for (std::size_t i = 0; i < one[0].verdicts.size(); ++i) {
    EXPECT_EQ(one[0].verdicts[i].mutation, two[0].verdicts[i].mutation);
    EXPECT_EQ(one[0].verdicts[i].killer, two[0].verdicts[i].killer);
  }
}

TEST(MeasureDetectionPower, RunsNoMutationsIfOnlyValuesAreInjected) {
  const auto layers =
      measure_detection_power({.only = "log_sum_exp", .jobs = 2, .inject_only = true});
  ASSERT_THAT(layers, SizeIs(1));
  EXPECT_GT(layers[0].cases, 40u);
  EXPECT_THAT(layers[0].verdicts, IsEmpty());
  EXPECT_EQ(layers[0].checks, 0u);
  EXPECT_TRUE(layers[0].planted.all_refused());
  EXPECT_GT(layers[0].planted.total().refused, 10'000u);
}

TEST(MeasureDetectionPower, RejectsAnUnknownLayer) {
  EXPECT_THROW(measure_detection_power({.only = "layernorm"}), ref::numeric::UsageError);
}

TEST(MeasureDetectionPower, AcceptsCorrectOutputsOfDeclaredClasses) {
  for (const DetectionPowerOptions& options :
       {DetectionPowerOptions{.only = "layer_norm", .accumulation = Accumulation::bfloat16},
        DetectionPowerOptions{.only = "batch_norm", .accumulation = Accumulation::float16},
        DetectionPowerOptions{.only = "softmax", .accumulation = Accumulation::bfloat16},
        DetectionPowerOptions{.only = "attention", .accumulation = Accumulation::bfloat16},
        // The cases in float16 are computed in bfloat16, which rounds more coarsely and has a wider
        // range.
        DetectionPowerOptions{.only = "instance_norm", .accumulation = Accumulation::bfloat16},
        DetectionPowerOptions{.only = "geglu", .accumulation = Accumulation::bfloat16},
        DetectionPowerOptions{.only = "group_norm", .formula = tolerance::Formula::one_pass}}) {
    EXPECT_TRUE(measures_only_false_alarms(options));
    const auto layers = measure_detection_power(options);
    ASSERT_THAT(layers, SizeIs(1));
    EXPECT_THAT(layers[0].verdicts, IsEmpty());
    EXPECT_THAT(layers[0].false_alarms, IsEmpty());
    EXPECT_EQ(layers[0].checks, layers[0].styles * layers[0].cases);
  }
  EXPECT_FALSE(measures_only_false_alarms({}));
}

TEST(MeasureDetectionPower, RejectsAnAccumulationThatIsNot16Bit) {
  EXPECT_THROW(measure_detection_power({.accumulation = Accumulation::float32}),
               ref::numeric::UsageError);
}

}  // namespace
}  // namespace normproof::verification::golden::gate
