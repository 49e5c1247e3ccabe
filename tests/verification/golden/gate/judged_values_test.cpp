#include "verification/golden/gate/judged_values.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/corpus/arithmetic.hpp"
#include "verification/golden/gate/check.hpp"
#include "verification/golden/recipes/scaled_inputs.hpp"

namespace normproof::verification::golden::gate {
namespace {

using recipes::convert_to_8_bits;
using recipes::EightBitScales;
using ::testing::Each;
using ::testing::ElementsAre;

/// Returns the case of silu for these numbers, which are so large that silu(x) = x.
StoredCase large_silu_case(const std::vector<double>& x, const EightBitScales& scales) {
  return certified(convert_to_8_bits(plain_recipe("silu", {1, x.size()}, DType::float32)
                                         .x([=](std::size_t i, double) { return x[i]; })
                                         .make(1),
                                     scales));
}

std::vector<StoredTensor> expected_outputs(const StoredCase& stored) {
  std::vector<StoredTensor> answer = stored.expected;
  std::erase_if(answer, [](const StoredTensor& t) { return t.name.ends_with("_lo"); });
  return answer;
}

std::vector<std::string> failing(const StoredCase& stored,
                                 const std::vector<StoredTensor>& answer) {
  std::vector<std::string> names;
  for (const TensorResult& result : check_case(stored, answer, {}).tensors)
    if (!result.passed()) names.push_back(result.name);
  return names;
}

JudgedValues compute_values(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                            const std::string& name) {
  const Case& c = stored.description.c;
  return compute_judged_values(stored, answer, name,
                               tolerance::derive_tolerance(c, corpus::usual_accumulation(c.dtype)));
}

TEST(JudgedEightBitValues, OnlyTheNearestOrSaturatedNumberPassesWithASingleScale) {
  const StoredCase stored =
      large_silu_case({90, 100.5, 2000}, {.dtype = DType::float8_e4m3fn, .y = 0.5});
  const auto answer = expected_outputs(stored);
  EXPECT_THAT(find_tensor_values(answer, "y"), ElementsAre(176, 208, 448));
  EXPECT_THAT(failing(stored, answer), ElementsAre());
  for (const auto& [at, wrong] : {std::pair(0, 192.0), std::pair(0, 160.0), std::pair(1, 192.0),
                                  std::pair(2, 416.0), std::pair(2, kGoldenNaN)})
    EXPECT_THAT(failing(stored, replace_element(answer, "y", at, wrong)), ElementsAre("y"))
        << wrong;
}

TEST(JudgedEightBitValues, BothNeighborsOfANumberNearATiePass) {
  const StoredCase stored = large_silu_case({68 * (1 + 0x1p-24)}, {.y = 1});
  const auto answer = expected_outputs(stored);
  for (const double right : {64.0, 72.0})
    EXPECT_THAT(failing(stored, replace_element(answer, "y", 0, right)), ElementsAre()) << right;
  EXPECT_THAT(failing(stored, replace_element(answer, "y", 0, 80)), ElementsAre("y"));
}

double to_float32(double v) {
  return static_cast<double>(static_cast<float>(v));
}

/// Returns the case of quantize for these numbers.
StoredCase quantize_case(const std::vector<double>& x, const EightBitScales& scales) {
  return certified(convert_to_8_bits(plain_recipe("quantize", {1, x.size()}, DType::float32)
                                         .x([=](std::size_t i, double) { return x[i]; })
                                         .make(1),
                                     scales));
}

TEST(JudgedEightBitValues, ATieOfAnExactQuotientIsRoundedToEven) {
  for (const EightBitScales& scales : {EightBitScales{.y = 0.5}, EightBitScales{}}) {
    const StoredCase stored = quantize_case({224, 17, -19}, scales);
    const auto answer = expected_outputs(stored);
    EXPECT_THAT(find_tensor_values(answer, "y"), ElementsAre(448, 32, -40));
    EXPECT_THAT(failing(stored, answer), ElementsAre());
    EXPECT_THAT(failing(stored, replace_element(answer, "y", 1, 36)), ElementsAre("y"));
    EXPECT_THAT(failing(stored, replace_element(answer, "y", 2, -36)), ElementsAre("y"));
  }
}

TEST(JudgedEightBitValues, Int8IsJudgedAsAnEightBitFormat) {
  const StoredCase stored =
      quantize_case({-300, 2.25, -7.5, 127.25}, {.dtype = DType::int8, .y = 1});
  const auto answer = expected_outputs(stored);
  EXPECT_THAT(find_tensor_values(answer, "y"), ElementsAre(-127, 2, -8, 127));
  EXPECT_THAT(failing(stored, answer), ElementsAre());
  for (const auto& [at, wrong] :
       {std::pair(0, -128.0), std::pair(1, 3.0), std::pair(2, -7.0), std::pair(3, 126.0)})
    EXPECT_THAT(failing(stored, replace_element(answer, "y", at, wrong)), ElementsAre("y"))
        << wrong;
}

TEST(JudgedEightBitValues, OneScaleOfAllElementsIsJudged) {
  const StoredCase stored = quantize_case({90, 100.5, 60}, {.group = corpus::kWholeTensor});
  const auto answer = expected_outputs(stored);
  ASSERT_THAT(find_tensor_values(answer, "y_scale"), ElementsAre(100.5F / 448));
  EXPECT_THAT(failing(stored, answer), ElementsAre());
  EXPECT_THAT(failing(stored, replace_element(answer, "y_scale", 0, 0.25)),
              ElementsAre("y", "y_scale"));
}

TEST(JudgedEightBitValues, ScalesThatArePowersOfTwoAreJudgedAsThoseOfBlocks) {
  const StoredCase stored =
      quantize_case({90, 100.5, 60, 448}, {.group = 2, .powers_of_two = true});
  const auto answer = expected_outputs(stored);
  EXPECT_THAT(find_tensor_values(answer, "y_scale"), ElementsAre(0.25, 1));
  EXPECT_THAT(find_tensor_values(answer, "y"), ElementsAre(352, 416, 60, 448));
  EXPECT_THAT(failing(stored, answer), ElementsAre());
  for (const double wrong : {0.125, 0.5, 100.5 / 448})
    EXPECT_THAT(failing(stored, replace_element(answer, "y_scale", 0, to_float32(wrong))),
                testing::Contains("y_scale"))
        << wrong;
  // A kernel that multiplies by 1/448 may find a quotient just above 1.
  auto doubled = replace_element(answer, "y_scale", 1, 2);
  doubled = replace_element(replace_element(doubled, "y", 2, 30), "y", 3, 224);
  EXPECT_THAT(failing(stored, doubled), ElementsAre());
}

TEST(JudgedEightBitValues, OnlyOneScaleOfABlockPasses) {
  const StoredCase stored = large_silu_case({90, 100.5, 60}, {.blocks = false});
  const auto answer = expected_outputs(stored);
  ASSERT_THAT(find_tensor_values(answer, "y_scale"), ElementsAre(0.25));
  EXPECT_THAT(compute_values(stored, answer, "y_scale").bound, ElementsAre(0));
  for (const double wrong : {0.125, 0.5, kGoldenNaN})
    EXPECT_THAT(failing(stored, replace_element(answer, "y_scale", 0, wrong)),
                testing::Contains("y_scale"))
        << wrong;
}

TEST(JudgedEightBitValues, BothScalesNearAPowerOfTwoPassWithMatchingElements) {
  const StoredCase stored = large_silu_case({64 * (1 - 0x1p-24), 40}, {.blocks = false});
  auto answer = expected_outputs(stored);
  ASSERT_THAT(find_tensor_values(answer, "y_scale"), ElementsAre(0.125));
  ASSERT_THAT(find_tensor_values(answer, "y"), ElementsAre(448, 320));
  EXPECT_THAT(failing(stored, answer), ElementsAre());
  answer = replace_element(answer, "y_scale", 0, 0.25);
  EXPECT_THAT(failing(stored, answer), ElementsAre("y"));
  answer = replace_element(replace_element(answer, "y", 0, 256), "y", 1, 160);
  EXPECT_THAT(failing(stored, answer), ElementsAre());
}

TEST(JudgedEightBitValues, NoScaleBelowTheOneOfTheLargestMagnitudePassesNearAPowerOfTwo) {
  const StoredCase stored = large_silu_case({64 * (1 - 0x1p-24), 40}, {.blocks = false});
  const auto answer = expected_outputs(stored);
  for (const double wrong : {0.0625, 0x1p-100, 0.5})
    EXPECT_THAT(failing(stored, replace_element(answer, "y_scale", 0, wrong)),
                testing::Contains("y_scale"))
        << wrong;
}

/// Returns the output of a block of 90, 100.5 and 60 with this scale, and elements that fit it.
std::vector<StoredTensor> answer_with_scale(const StoredCase& stored, double scale) {
  std::vector<StoredTensor> answer = replace_element(expected_outputs(stored), "y_scale", 0, scale);
  std::size_t i = 0;
  for (const double v : {90.0, 100.5, 60.0})
    answer = replace_element(
        answer, "y", i++,
        ref::numeric::round_to(float_format_info(ref::numeric::FloatType::float8_e4m3fn), v / scale,
                               ref::numeric::Overflow::saturate));
  return answer;
}

TEST(JudgedEightBitValues, TheScaleIsThatOfTheDeclaredRoundingAndTheElementsFitIt) {
  const StoredCase stored = large_silu_case({90, 100.5, 60}, {.blocks = false});
  using corpus::ScaleRounding;
  for (const auto& [rounding, right] :
       {std::pair(ScaleRounding::floor, 0.25), std::pair(ScaleRounding::up, 0.25),
        std::pair(ScaleRounding::nearest, 0.25), std::pair(ScaleRounding::ceil, 0.5)})
    for (const double scale : {0.125, 0.25, 0.5})
      EXPECT_EQ(check_case(stored, answer_with_scale(stored, scale), {.scale_rounding = rounding})
                    .passed(),
                scale == right)
          << to_string(rounding) << ' ' << scale;
  // The scale is right, and an element is that of another one.
  EXPECT_FALSE(check_case(stored, replace_element(answer_with_scale(stored, 0.5), "y", 0, 352),
                          {.scale_rounding = ScaleRounding::ceil})
                   .passed());
}

TEST(JudgedEightBitValues, BothScalesPassIfAQuotientIsNearAPowerOfTwo) {
  const StoredCase stored = large_silu_case({448, 105}, {.blocks = false});
  auto answer = expected_outputs(stored);
  const CheckOptions up = {.scale_rounding = corpus::ScaleRounding::up};
  EXPECT_TRUE(check_case(stored, answer, up).passed());
  answer = replace_element(answer, "y_scale", 0, 2);
  answer = replace_element(replace_element(answer, "y", 0, 224), "y", 1, 52);
  EXPECT_TRUE(check_case(stored, answer, up).passed());
  EXPECT_FALSE(check_case(stored, answer, {}).passed());
  EXPECT_FALSE(check_case(stored, replace_element(answer, "y", 1, 56), up).passed());
}

TEST(JudgedEightBitValues, AnyFiniteScalePassesForABlockOfZeros) {
  const StoredCase stored = large_silu_case({0, 0, 0}, {.blocks = false});
  const auto answer = expected_outputs(stored);
  for (const double scale : {0x1p-127, 1.0, 0x1p127})
    EXPECT_THAT(failing(stored, replace_element(answer, "y_scale", 0, scale)), ElementsAre())
        << scale;
  EXPECT_THAT(failing(stored, replace_element(answer, "y_scale", 0, kGoldenNaN)),
              ElementsAre("y_scale"));
  EXPECT_THAT(compute_values(stored, answer, "y").high, Each(0));
}

StoredCase group_case(EightBitScales scales = {}) {
  scales.group = 2;
  return large_silu_case({90, 100.5, 60, 65}, scales);
}

TEST(JudgedEightBitValues, AScaleOfAGroupIsRightToSomeRoundings) {
  const StoredCase stored = group_case();
  const auto answer = expected_outputs(stored);
  const double scale = find_tensor_values(answer, "y_scale")[0];
  EXPECT_EQ(scale, static_cast<double>(100.5F / 448));
  EXPECT_THAT(failing(stored, answer), ElementsAre());
  EXPECT_THAT(
      failing(stored, replace_element(answer, "y_scale", 0, to_float32(scale * (1 + 0x1p-23)))),
      ElementsAre());
  for (const double wrong :
       {to_float32(scale * (1 + 0x1p-18)), 2 * scale, scale / 2, kGoldenNaN, 0.0})
    EXPECT_THAT(failing(stored, replace_element(answer, "y_scale", 0, wrong)),
                testing::Contains("y_scale"))
        << wrong;
}

TEST(JudgedEightBitValues, AnElementOfAGroupIsJudgedByTheScaleInTheOutput) {
  const StoredCase stored = group_case();
  const auto answer = expected_outputs(stored);
  ASSERT_EQ(find_tensor_values(answer, "y")[1], 448);
  EXPECT_THAT(failing(stored, replace_element(answer, "y", 1, 416)), ElementsAre("y"));
  auto halved = replace_element(answer, "y_scale", 0, to_float32(2 * 100.5 / 448));
  EXPECT_THAT(failing(stored, halved), ElementsAre("y", "y_scale"));
  halved = replace_element(replace_element(halved, "y", 0, 208), "y", 1, 224);
  EXPECT_THAT(failing(stored, halved), ElementsAre("y_scale"));
}

TEST(JudgedEightBitValues, AScaleOfABlockOfNvfp4IsRightToSomeRoundings) {
  const EightBitScales scales{.dtype = DType::float4_e2m1fn, .y_tensor = 0.5};
  const StoredCase stored = large_silu_case({90, 100.5, 60, 65}, scales);
  const auto answer = expected_outputs(stored);
  ASSERT_THAT(find_tensor_values(answer, "y_scale"), ElementsAre(32));  // 33.5 is between 32 and 36
  EXPECT_THAT(find_tensor_values(answer, "y"), ElementsAre(6, 6, 4, 4));
  EXPECT_THAT(failing(stored, answer), ElementsAre());
  EXPECT_THAT(failing(stored, replace_element(answer, "y", 2, 3)), ElementsAre("y"));
  for (const double wrong : {36.0, 30.0, 64.0, 0.0, kGoldenNaN})
    EXPECT_THAT(failing(stored, replace_element(answer, "y_scale", 0, wrong)),
                testing::Contains("y_scale"))
        << wrong;
  const StoredCase between = large_silu_case({102 * (1 - 0x1p-23), 90, 60, 65}, scales);
  for (const double right : {32.0, 36.0})
    EXPECT_THAT(failing(between, replace_element(expected_outputs(between), "y_scale", 0, right)),
                testing::Not(testing::Contains("y_scale")))
        << right;
}

TEST(JudgedEightBitValues, ATinyBlockOfNvfp4MayHaveTheScale0) {
  const StoredCase stored =
      large_silu_case({90, 100.5, 60, 65}, {.dtype = DType::float4_e2m1fn, .y_tensor = 1e6});
  const auto answer = expected_outputs(stored);
  ASSERT_THAT(find_tensor_values(answer, "y_scale"), ElementsAre(0x1p-9));
  for (const double scale : {0.0, 0x1p-9, 0x1p-6})
    EXPECT_THAT(failing(stored, replace_element(answer, "y_scale", 0, scale)),
                testing::Not(testing::Contains("y_scale")))
        << scale;
  EXPECT_THAT(failing(stored, replace_element(answer, "y_scale", 0, 0x1p-5)),
              testing::Contains("y_scale"));
}

TEST(JudgedEightBitValues, LimitsOfScalesOfGroupsAreJudged) {
  const StoredCase bounded = group_case({.upper = 70});
  auto answer = expected_outputs(bounded);
  EXPECT_EQ(find_tensor_values(answer, "y_scale")[0], 70.0F / 448);
  EXPECT_THAT(find_tensor_values(answer, "y"), ElementsAre(448, 448, 416, 448));
  EXPECT_THAT(failing(bounded, answer), ElementsAre());
  EXPECT_THAT(failing(bounded, expected_outputs(group_case())), ElementsAre("y_scale"));
  const StoredCase raised = group_case({.least = 0.25});
  EXPECT_THAT(find_tensor_values(expected_outputs(raised), "y_scale"), ElementsAre(0.25, 0.25));
  EXPECT_THAT(failing(raised, expected_outputs(raised)), ElementsAre());
  EXPECT_THAT(failing(raised, expected_outputs(group_case())), ElementsAre("y_scale"));
}

TEST(JudgedEightBitValues, AGroupOfZerosHasAnyFiniteScaleAndNoNaN) {
  const StoredCase stored = large_silu_case({0, 0, 60, 65}, {.group = 2});
  const auto answer = expected_outputs(stored);
  for (const double scale : {0.0, 0x1p-30, 1.0})
    EXPECT_THAT(failing(stored, replace_element(answer, "y_scale", 0, scale)), ElementsAre())
        << scale;
  EXPECT_THAT(failing(stored, replace_element(answer, "y_scale", 0, kGoldenNaN)),
              ElementsAre("y_scale"));
  EXPECT_THAT(failing(stored, replace_element(answer, "y", 0, kGoldenNaN)), ElementsAre("y"));
}

TEST(JudgedEightBitValues, ScalesAreRequiredAnd8BitFormatsAreNotInterchangeable) {
  const StoredCase stored = large_silu_case({90, 100.5, 60}, {.blocks = false});
  auto answer = expected_outputs(stored);
  std::erase_if(answer, [](const StoredTensor& t) { return t.name == "y_scale"; });
  EXPECT_THAT(failing(stored, answer), ElementsAre("y_scale"));
  answer = expected_outputs(stored);
  for (StoredTensor& tensor : answer)
    if (tensor.name == "y") tensor.dtype = DType::float8_e5m2;
  EXPECT_THAT(failing(stored, answer), ElementsAre("y"));
}

}  // namespace
}  // namespace normproof::verification::golden::gate
