#include "verification/golden/plain/plain_scaled.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/gate/check.hpp"
#include "verification/golden/recipes/scaled_corpus.hpp"
#include "verification/golden/recipes/scaled_inputs.hpp"

namespace normproof::verification::golden::plain {
namespace {

using recipes::convert_to_8_bits;
using ::testing::ElementsAre;

/// Returns a case of silu for numbers that are so large that silu(x) = x.
Case large_silu_case(const recipes::EightBitScales& scales) {
  return convert_to_8_bits(
      plain_recipe("silu", {2, 2}, DType::float32)
          .x([](std::size_t i, double) { return 90 + 10 * static_cast<double>(i); })
          .make(1),
      scales);
}

std::vector<double> stored_by(const Case& c, const std::string& name, Mutation mutation = {}) {
  Sites sites(std::move(mutation));
  return find_tensor_values(run_plain(c, inputs_of(c), {}, sites), name);
}

TEST(PlainEightBit, OutputIsWithinTheBoundInEveryCase) {
  for (const char* operation : {"softmax", "silu", "swiglu", "rms_norm"})
    for (const Case& c : recipes::scaled_cases(Tier::quick, operation, 3)) {
      Sites sites;
      EXPECT_TRUE(
          gate::check_case(certified(c), run_plain(c, inputs_of(c), {}, sites), {}).passed())
          << case_folder(c);
    }
}

TEST(PlainEightBit, MutationsOfASingleScaleChangeTheOutput) {
  const Case c = large_silu_case({.y = 2});
  EXPECT_THAT(stored_by(c, "y"), ElementsAre(44, 48, 56, 60));  // 50 is a tie and rounds to even
  EXPECT_THAT(stored_by(c, "y", {"scaling of y", MutationOperator::drop}),
              ElementsAre(88, 96, 112, 120));
  EXPECT_THAT(stored_by(c, "y", {"scaling of y", MutationOperator::inverted}),
              ElementsAre(176, 192, 224, 240));
  EXPECT_THAT(stored_by(c, "y", {"scaling of y", MutationOperator::square}),
              ElementsAre(22, 24, 28, 30));
  EXPECT_THAT(stored_by(c, "y", {"format of y", MutationOperator::other_bias}),
              ElementsAre(88, 96, 112, 120));
  EXPECT_THAT(stored_by(c, "y", {"rounding of y", MutationOperator::truncate}),
              ElementsAre(44, 48, 52, 60));
}

TEST(PlainEightBit, MutationReadsTheBitsInTheOtherFormat) {
  const Case c = large_silu_case({.dtype = DType::float8_e5m2, .x = 10, .y = 1});
  // In e5m2 the numbers 9, 10, 11 and 12 become 8, 10, 12 and 12. Their bits are 0x48, 0x49 and
  // 0x4a. In e4m3 these bits mean 4, 4.5 and 5.
  EXPECT_THAT(find_tensor_values(c.inputs, "x"), ElementsAre(8, 10, 12, 12));
  EXPECT_THAT(stored_by(c, "y", {"format of x", MutationOperator::other_format}),
              ElementsAre(40, 48, 48, 48));
}

TEST(PlainEightBit, MutationsOfBlockScalesChangeTheOutput) {
  const Case c = large_silu_case({.blocks = false});
  const std::string site = "scales of the blocks of y";
  EXPECT_THAT(stored_by(c, "y_scale"), ElementsAre(0.25, 0.25));
  EXPECT_THAT(stored_by(c, "y_scale", {site, MutationOperator::twice}), ElementsAre(0.5, 0.5));
  EXPECT_THAT(stored_by(c, "y_scale", {site, MutationOperator::halved}), ElementsAre(0.125, 0.125));
  EXPECT_THAT(stored_by(c, "y", {site, MutationOperator::forget_remainder}),
              ElementsAre(0, 0, 0, 0));
  EXPECT_TRUE(std::isnan(stored_by(c, "y_scale", {site, MutationOperator::not_a_number})[1]));
}

TEST(PlainEightBit, MutationsOfScalesOfGroupsChangeTheOutput) {
  const Case c = large_silu_case({.group = 1, .upper = 105, .least = 0.21});
  const auto scale = [](double magnitude) {
    return static_cast<double>(static_cast<float>(magnitude) / 448);
  };
  const double least = static_cast<double>(0.21F);
  EXPECT_THAT(stored_by(c, "y_scale"), ElementsAre(least, scale(100), scale(105), scale(105)));
  EXPECT_THAT(stored_by(c, "y_scale", {"upper bound of y", MutationOperator::drop}),
              ElementsAre(least, scale(100), scale(110), scale(120)));
  EXPECT_THAT(stored_by(c, "y_scale", {"least scale of y", MutationOperator::drop}),
              ElementsAre(scale(90), scale(100), scale(105), scale(105)));
  const Case zeros =
      convert_to_8_bits(plain_recipe("silu", {1, 2}, DType::float32)
                            .x([](std::size_t i, double) { return i == 0 ? 0. : 90.; })
                            .make(1),
                        {.group = 1});
  EXPECT_THAT(stored_by(zeros, "y"), ElementsAre(0, 448));
  EXPECT_TRUE(
      std::isnan(stored_by(zeros, "y", {"zeros in the scales of y", MutationOperator::drop})[0]));
}

TEST(PlainEightBit, OutputSaturatesOutOfRangeUnlessMutated) {
  const Case c = large_silu_case({.y = 0.2});
  EXPECT_THAT(stored_by(c, "y"), ElementsAre(448, 448, 448, 448));
  const auto wrong = stored_by(c, "y", {"overflow of y", MutationOperator::unsaturated});
  EXPECT_EQ(wrong[0], 448);
  EXPECT_TRUE(std::isnan(wrong[1]));
}

}  // namespace
}  // namespace normproof::verification::golden::plain
