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
  for (const char* operation : {"softmax", "silu", "swiglu", "rms_norm", "quantize", "dequantize"})
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

/// Returns a case of quantize for these numbers in one row.
Case quantize_case(const std::vector<double>& x, const recipes::EightBitScales& scales) {
  return convert_to_8_bits(plain_recipe("quantize", {1, x.size()}, DType::float32)
                               .x([=](std::size_t i, double) { return x[i]; })
                               .make(1),
                           scales);
}

TEST(PlainEightBit, ScalesFromSignedNumbersOrOfTheNextGroupAreMistakes) {
  const Case c = quantize_case({-96, 48, 24, -6}, {.group = 2});
  const auto scale = [](double magnitude) {
    return static_cast<double>(static_cast<float>(magnitude) / 448);
  };
  EXPECT_THAT(stored_by(c, "y_scale"), ElementsAre(scale(96), scale(24)));
  EXPECT_THAT(stored_by(c, "y"), ElementsAre(-448, 224, 448, -112));
  EXPECT_THAT(stored_by(c, "y_scale", {"magnitudes of y", MutationOperator::drop}),
              ElementsAre(scale(48), scale(24)));
  const std::string site = "division by the scales of y";
  EXPECT_THAT(stored_by(c, "y", {site, MutationOperator::rotated}),
              ElementsAre(-448, 448, 112, -28));
  EXPECT_THAT(stored_by(c, "y", {site, MutationOperator::inverted}),
              ElementsAre(-20, 10, 1.25, -0.3125));
}

TEST(PlainEightBit, OneScaleOfAllElementsIsThatOfTheLargest) {
  const Case c = quantize_case({-96, 48, 24, 224}, {.group = corpus::kWholeTensor});
  EXPECT_THAT(stored_by(c, "y_scale"), ElementsAre(0.5));
  EXPECT_THAT(stored_by(c, "y"), ElementsAre(-192, 96, 48, 448));
  EXPECT_THAT(stored_by(c, "y_scale", {"scales of the groups of y", MutationOperator::half_block}),
              ElementsAre(static_cast<double>(96.0F / 448)));
}

TEST(PlainEightBit, TiesOfAPowerOfTwoAreRoundedToEvenUnlessMutated) {
  const Case c = quantize_case({8.5, 9.5, -8.5, -9.5}, {.y = 1});
  EXPECT_THAT(stored_by(c, "y"), ElementsAre(8, 10, -8, -10));
  EXPECT_THAT(stored_by(c, "y", {"rounding of y", MutationOperator::half_away}),
              ElementsAre(9, 10, -9, -10));
  EXPECT_THAT(stored_by(c, "y", {"rounding of y", MutationOperator::truncate}),
              ElementsAre(8, 9, -8, -9));
}

TEST(PlainEightBit, Int8HasTheRangeFromMinus127To127UnlessMutated) {
  const Case c = quantize_case({-300, -127.75, 2.5, 128.25}, {.dtype = DType::int8, .y = 1});
  EXPECT_THAT(stored_by(c, "y"), ElementsAre(-127, -127, 2, 127));
  EXPECT_THAT(stored_by(c, "y", {"overflow of y", MutationOperator::one_more}),
              ElementsAre(-128, -128, 2, 127));
  EXPECT_THAT(stored_by(c, "y", {"overflow of y", MutationOperator::other}),
              ElementsAre(-44, -128, 2, -128));
  EXPECT_THAT(stored_by(c, "y", {"rounding of y", MutationOperator::half_away}),
              ElementsAre(-127, -127, 3, 127));
}

TEST(PlainEightBit, FourBitsSaturateAt6UnlessTheirCodesWrap) {
  const Case c = quantize_case({7.9, -7.2, 2.5, 0.25}, {.dtype = DType::float4_e2m1fn});
  EXPECT_THAT(stored_by(c, "y_scale"), ElementsAre(1));
  EXPECT_THAT(stored_by(c, "y"), ElementsAre(6, -6, 2, 0));
  EXPECT_THAT(stored_by(c, "y", {"overflow of y", MutationOperator::other}),
              ElementsAre(0, 0, 2, 0));
  EXPECT_THAT(stored_by(c, "y", {"rounding of y", MutationOperator::half_away}),
              ElementsAre(6, -6, 3, 0.5));
  EXPECT_THAT(stored_by(c, "y", {"order in the bytes of y", MutationOperator::other}),
              ElementsAre(-6, 6, 0, 2));
}

TEST(PlainEightBit, ScalesOfBlocksAreMultipliedByThatOfTheTensorUnlessMutated) {
  const Case c = quantize_case({12, -6.3, 3, 1}, {.dtype = DType::float4_e2m1fn, .y_tensor = 0.5});
  EXPECT_THAT(stored_by(c, "y_scale"), ElementsAre(4));
  EXPECT_THAT(stored_by(c, "y"), ElementsAre(6, -3, 1.5, 0.5));
  EXPECT_THAT(stored_by(c, "y_scale", {"tensor scale of y", MutationOperator::drop}),
              ElementsAre(2));
  EXPECT_THAT(stored_by(c, "y_scale", {"tensor scale of y", MutationOperator::inverted}),
              ElementsAre(1));
  EXPECT_THAT(stored_by(c, "y", {"tensor scale in the elements of y", MutationOperator::drop}),
              ElementsAre(3, -1.5, 1, 0));
  const Case between =
      quantize_case({6.7, 3.1, 1, 1}, {.dtype = DType::float4_e2m1fn, .y_tensor = 1});
  EXPECT_THAT(stored_by(between, "y_scale"), ElementsAre(1.125));
  EXPECT_THAT(
      stored_by(between, "y_scale", {"rounding of the scales of y", MutationOperator::truncate}),
      ElementsAre(1));
  EXPECT_THAT(stored_by(between, "y_scale", {"format of y_scale", MutationOperator::other_bias}),
              ElementsAre(2.25));
}

TEST(PlainEightBit, InputsWithTwoScalesAreMultipliedByBoth) {
  const Case c = convert_to_8_bits(
      plain_recipe("dequantize", {1, 4}, DType::float32)
          .x([](std::size_t i, double) { return std::ldexp(6, static_cast<int>(i) - 2); })
          .make(1),
      {.x_dtype = DType::float4_e2m1fn, .x_tensor = 0.25});
  EXPECT_THAT(find_tensor_values(c.inputs, "x_scale"), ElementsAre(8));
  EXPECT_THAT(stored_by(c, "y"), ElementsAre(2, 3, 6, 12));
  EXPECT_THAT(stored_by(c, "y", {"tensor scale of x", MutationOperator::drop}),
              ElementsAre(8, 12, 24, 48));
  EXPECT_THAT(stored_by(c, "y", {"order in the bytes of x", MutationOperator::other}),
              ElementsAre(3, 2, 12, 6));
}

TEST(PlainEightBit, NaNIsStoredAs0InInt8) {
  const Case zeros = quantize_case({0, 0, 2, 6}, {.dtype = DType::int8, .group = 2});
  EXPECT_THAT(stored_by(zeros, "y", {"zeros in the scales of y", MutationOperator::drop}),
              ElementsAre(0, 0, 42, 127));
}

TEST(PlainEightBit, ScalesArePowersOfTwoIfTheCaseSaysSoUnlessMutated) {
  const Case c = quantize_case({-96, 48, 448, 6}, {.group = 2, .powers_of_two = true});
  const std::string site = "powers of two of the scales of y";
  EXPECT_THAT(stored_by(c, "y_scale"), ElementsAre(0.25, 1));
  EXPECT_THAT(stored_by(c, "y"), ElementsAre(-384, 192, 448, 6));
  EXPECT_THAT(stored_by(c, "y_scale", {site, MutationOperator::truncate}), ElementsAre(0.125, 1));
  EXPECT_THAT(stored_by(c, "y_scale", {site, MutationOperator::drop}),
              ElementsAre(static_cast<double>(96.0F / 448), 1));
  EXPECT_THAT(stored_by(c, "y", {site, MutationOperator::other}), ElementsAre(-448, 224, 448, 6));
  EXPECT_THAT(stored_by(c, "y_scale", {site, MutationOperator::other}), ElementsAre(0.25, 1));
}

TEST(PlainEightBit, InputsWithScalesOfGroupsAreMultipliedByThem) {
  const Case c = convert_to_8_bits(
      plain_recipe("dequantize", {1, 4}, DType::float32)
          .x([](std::size_t i, double) { return std::ldexp(448, static_cast<int>(i / 2)); })
          .make(1),
      {.x_dtype = DType::float8_e4m3fn, .x_group = 2});
  EXPECT_THAT(stored_by(c, "y"), ElementsAre(448, 448, 896, 896));
  const std::string site = "scales of the groups of x";
  EXPECT_THAT(stored_by(c, "y", {site, MutationOperator::rotated}),
              ElementsAre(896, 896, 448, 448));
  EXPECT_THAT(stored_by(c, "y", {site, MutationOperator::drop}), ElementsAre(448, 448, 448, 448));
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
