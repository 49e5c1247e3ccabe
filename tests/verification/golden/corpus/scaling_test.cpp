#include "verification/golden/corpus/scaling.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/numeric/errors.hpp"
#include "tests/verification/golden/certify/samples.hpp"

namespace normproof::verification::golden::corpus {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Returns the case of silu for a row of 34 8-bit elements in two blocks.
Case block_scaled_case() {
  Case c = plain_recipe("silu", {1, 34}, DType::float32).make(1);
  c.dtype = DType::float8_e4m3fn;
  for (StoredTensor& input : c.inputs)
    if (input.name == "x")
      input = make_stored_tensor("x", DType::float8_e4m3fn, {1, 34}, std::vector<double>(34, 1.5));
  c.inputs.push_back(make_stored_tensor("x_scale", DType::float8_e8m0fnu, {1, 2}, {0.5, 8}));
  return c;
}

Case single_scale_case() {
  Case c = block_scaled_case();
  c.inputs.back() = make_stored_tensor("x_scale", DType::float32, {1}, {3});
  c.inputs.push_back(make_stored_tensor("y_scale", DType::float32, {1}, {0.25}));
  return c;
}

TEST(OutputScaling, DequantizesEachBlockByItsScale) {
  const Case real = dequantize_inputs(block_scaled_case());
  EXPECT_EQ(real.dtype, DType::float32);
  EXPECT_EQ(find(real.inputs, "x_scale"), nullptr);
  const std::vector<double> x = find_tensor_values(real.inputs, "x");
  EXPECT_EQ(x[0], 0.75);
  EXPECT_EQ(x[31], 0.75);
  EXPECT_EQ(x[32], 12);
  EXPECT_EQ(x[33], 12);
  EXPECT_FALSE(rounds_inputs(block_scaled_case()));
}

TEST(OutputScaling, DequantizesByASingleScale) {
  const std::vector<double> x =
      find_tensor_values(dequantize_inputs(single_scale_case()).inputs, "x");
  EXPECT_EQ(x[0], 4.5);
  EXPECT_EQ(x[33], 4.5);
  EXPECT_TRUE(rounds_inputs(single_scale_case()));
}

TEST(OutputScaling, LeavesCasesWithoutScalesUnchanged) {
  const Case c = plain_recipe("silu", {1, 4}, DType::float16).make(1);
  EXPECT_FALSE(is_scaled(c));
  EXPECT_EQ(dequantize_inputs(c).dtype, DType::float16);
  EXPECT_EQ(dequantize_inputs(c).inputs, c.inputs);
  EXPECT_EQ(output_scaling(c, "y"), OutputScaling::none);
}

TEST(OutputScaling, DerivesTheScalingOfOutputsFromTheInputs) {
  Case c = single_scale_case();
  EXPECT_EQ(output_scaling(block_scaled_case(), "y"), OutputScaling::blocks);
  EXPECT_EQ(output_scaling(c, "y"), OutputScaling::given);
  EXPECT_EQ(output_scaling(c, "grad_x"), OutputScaling::none);
  EXPECT_EQ(stored_output_dtype(c, "y"), DType::float8_e4m3fn);
  EXPECT_EQ(stored_output_dtype(c, "y_scale"), DType::float8_e8m0fnu);
  EXPECT_EQ(stored_output_dtype(c, "grad_x"), DType::float32);
  c.inputs.push_back(make_stored_tensor("grad_x_scale", DType::float32, {1}, {1}));
  EXPECT_EQ(stored_output_dtype(c, "grad_x"), DType::float8_e5m2);
}

TEST(OutputScaling, AGroupSizeGivesOneFloat32ScalePerGroup) {
  Case c = block_scaled_case();
  EXPECT_EQ(scale_blocks_of_y(c, {1, 34}).size(), kScaledBlockSize);
  c.inputs.push_back(make_stored_tensor(kGroupOfY, DType::int64, {1}, {16}));
  EXPECT_EQ(output_scaling(c, "y"), OutputScaling::groups);
  EXPECT_EQ(output_scaling(c, "grad_x"), OutputScaling::none);
  EXPECT_EQ(stored_output_dtype(c, "y_scale"), DType::float32);
  EXPECT_EQ(scale_blocks_of_y(c, {1, 34}).size(), 16u);
  EXPECT_FALSE(has_one_scale_of_y(c));
  EXPECT_EQ(scale_limits(c).least, 0);
  EXPECT_TRUE(std::isinf(scale_limits(c).upper));
  c.inputs.push_back(make_stored_tensor(kUpperBoundOfY, DType::float32, {1}, {3}));
  c.inputs.push_back(make_stored_tensor(kMinScaleOfY, DType::float32, {1}, {0.5}));
  EXPECT_EQ(scale_limits(c).upper, 3);
  EXPECT_EQ(scale_limits(c).least, 0.5);
  for (const char* name : {kGroupOfY, kUpperBoundOfY, kMinScaleOfY})
    EXPECT_EQ(find(dequantize_inputs(c).inputs, name), nullptr);
  EXPECT_THAT(ScaleBlocks({2, 3, 33}, 16).shape_of_scales(), ElementsAre(2, 3, 3));
  EXPECT_EQ(ScaleBlocks({2, 33}, 16).index(33 + 16), 4u);
}

TEST(OutputScaling, AScaleOfTheTensorGivesBlocksOf16WithScalesOfE4m3) {
  Case c = block_scaled_case();
  c.dtype = DType::float4_e2m1fn;
  EXPECT_EQ(tensor_scale(c, "y"), 1);
  c.inputs.push_back(make_stored_tensor(tensor_scale_name("y"), DType::float32, {1}, {0.5}));
  EXPECT_EQ(output_scaling(c, "y"), OutputScaling::blocks_of_tensor);
  EXPECT_TRUE(has_blocks(output_scaling(c, "y")) && has_found_scales(output_scaling(c, "y")));
  EXPECT_FALSE(has_blocks(OutputScaling::groups));
  EXPECT_EQ(stored_output_dtype(c, "y_scale"), DType::float8_e4m3fn);
  EXPECT_EQ(scale_blocks_of_y(c, {1, 34}).size(), kBlockOfTwoScales);
  EXPECT_EQ(tensor_scale(c, "y"), 0.5);
  EXPECT_EQ(find(dequantize_inputs(c).inputs, "y_tensor_scale"), nullptr);
  const auto& e2m1 = float_format_info(ref::numeric::FloatType::float4_e2m1fn);
  EXPECT_EQ(find_tensor_block_scale(6.4, 1, e2m1), 1.125);
  EXPECT_EQ(find_tensor_block_scale(1e6, 1, e2m1), 448);
  EXPECT_EQ(find_tensor_block_scale(0, 1, e2m1), 0x1p-9);
}

TEST(OutputScaling, DequantizesByTheScalesOfBlocksTimesThatOfTheTensor) {
  Case c = plain_recipe("dequantize", {1, 18}, DType::float32).make(1);
  for (StoredTensor& input : c.inputs)
    if (input.name == "x")
      input = make_stored_tensor("x", DType::float4_e2m1fn, {1, 18}, std::vector<double>(18, 1.5));
  c.inputs.push_back(make_stored_tensor("x_scale", DType::float8_e4m3fn, {1, 2}, {2, 3.5}));
  c.inputs.push_back(make_stored_tensor("x_tensor_scale", DType::float32, {1}, {0.25}));
  const std::vector<double> x = find_tensor_values(dequantize_inputs(c).inputs, "x");
  EXPECT_EQ(x[15], 0.75);
  EXPECT_EQ(x[16], 1.3125);
  EXPECT_TRUE(rounds_inputs(c));
  std::erase_if(c.inputs, [](const StoredTensor& t) { return t.name == "x_scale"; });
  c.inputs.push_back(make_stored_tensor("x_scale", DType::float8_e8m0fnu, {1, 2}, {1, 1}));
  try {
    dequantize_inputs(c);
    FAIL() << "no ContractError";
  } catch (const ref::numeric::ContractError& error) {
    EXPECT_THAT(error.what(), HasSubstr("expected float8_e4m3fn [1, 2]"));
  }
}

TEST(OutputScaling, AllowsAShortLastBlockInARow) {
  EXPECT_THAT(ScaleBlocks({2, 3, 33}).shape_of_scales(), ElementsAre(2, 3, 2));
  EXPECT_THAT(ScaleBlocks({2, 32}).shape_of_scales(), ElementsAre(2, 1));
  const ScaleBlocks blocks({2, 33});
  EXPECT_EQ(blocks.index(31), 0u);
  EXPECT_EQ(blocks.index(32), 1u);
  EXPECT_EQ(blocks.index(33), 2u);
  EXPECT_EQ(blocks.count(), 4u);
}

TEST(OutputScaling, MinusOneGivesOneScaleOfAllElements) {
  Case c = block_scaled_case();
  c.inputs.push_back(make_stored_tensor(kGroupOfY, DType::int64, {1}, {kWholeTensor}));
  EXPECT_TRUE(has_one_scale_of_y(c));
  EXPECT_EQ(output_scaling(c, "y"), OutputScaling::groups);
  const ScaleBlocks blocks = scale_blocks_of_y(c, {3, 5});
  EXPECT_THAT(blocks.shape_of_scales(), ElementsAre(1));
  EXPECT_EQ(blocks.count(), 1u);
  EXPECT_EQ(blocks.index(14), 0u);
  EXPECT_EQ(ScaleBlocks({0, 5}, kWholeTensor).rows(), 0u);
}

TEST(OutputScaling, AnInputOf8BitsMayHaveAnOutputOfMoreBits) {
  Case c = block_scaled_case();
  c.dtype = DType::bfloat16;
  EXPECT_TRUE(is_scaled(c));
  EXPECT_FALSE(stores_8_bits(c));
  EXPECT_EQ(output_scaling(c, "y"), OutputScaling::none);
  EXPECT_EQ(stored_output_dtype(c, "y"), DType::bfloat16);
  EXPECT_EQ(stored_output_dtype(c, "grad_x"), DType::float32);
  EXPECT_EQ(set_computed_dtype(c).dtype, DType::bfloat16);
  EXPECT_EQ(dequantize_inputs(c).dtype, DType::bfloat16);
  EXPECT_EQ(find_tensor_values(dequantize_inputs(c).inputs, "x")[32], 12);
}

TEST(OutputScaling, DequantizesEachGroupByItsScale) {
  Case c = block_scaled_case();
  c.inputs.back() = make_stored_tensor("x_scale", DType::float32, {1, 3}, {0.5, 3, 8});
  c.inputs.push_back(make_stored_tensor("x_scale_group", DType::int64, {1}, {16}));
  const std::vector<double> x = find_tensor_values(dequantize_inputs(c).inputs, "x");
  EXPECT_EQ(x[15], 0.75);
  EXPECT_EQ(x[16], 4.5);
  EXPECT_EQ(x[32], 12);
  EXPECT_TRUE(rounds_inputs(c));
}

TEST(OutputScaling, ScaleExponentIsThatOfTheMaximumMinusThatOfTheFormat) {
  const auto& e4m3 = float_format_info(ref::numeric::FloatType::float8_e4m3fn);
  const auto& e5m2 = float_format_info(ref::numeric::FloatType::float8_e5m2);
  EXPECT_EQ(block_scale_exponent(8, e4m3), 0);
  EXPECT_EQ(block_scale_exponent(0, e5m2), -15);
  EXPECT_EQ(block_scale_exponent(-2000, e4m3), -127);
  EXPECT_EQ(block_scale_exponent(200, e4m3), 127);
}

TEST(OutputScaling, C1_RejectsAnAbsentScaleOrOneOfAnotherShape) {
  const auto refusal = [](const Case& c) {
    return ref::numeric::error_message<ref::numeric::ContractError>([&] { dequantize_inputs(c); });
  };
  Case c = block_scaled_case();
  c.inputs.back() = make_stored_tensor("x_scale", DType::float8_e8m0fnu, {1, 1}, {1});
  EXPECT_THAT(refusal(c), HasSubstr("is float8_e8m0fnu [1, 1]"));
  c.inputs.pop_back();
  EXPECT_THAT(refusal(c), HasSubstr("is absent; expected float32 [1], or float8_e8m0fnu [1, 2]"));
  c.inputs.push_back(make_stored_tensor("x_scale", DType::float32, {1, 2}, {1, 2}));
  c.inputs.push_back(make_stored_tensor("x_scale_group", DType::int64, {1}, {16}));
  EXPECT_THAT(refusal(c), HasSubstr("is float32 [1, 2]; expected float32 [1, 3] (C1)"));
}

}  // namespace
}  // namespace normproof::verification::golden::corpus
