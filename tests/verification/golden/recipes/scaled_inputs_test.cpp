#include "verification/golden/recipes/scaled_inputs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/golden/certify/samples.hpp"

namespace normproof::verification::golden::recipes {
namespace {

using ::testing::ElementsAre;

Case make_case_of_rows(const std::vector<double>& x) {
  return plain_recipe("swiglu", {1, x.size()}, DType::float32)
      .x([=](std::size_t i, double) { return x[i]; })
      .make(1);
}

TEST(EightBitInputs, AreDividedByTheScaleAndRoundedToNearest) {
  const Case c = convert_to_8_bits(make_case_of_rows({1, 1.0625, -1.1, 1000}),
                                   {.dtype = DType::float8_e4m3fn, .x = 0.5, .y = 0.1});
  EXPECT_EQ(c.dtype, DType::float8_e4m3fn);
  // 2.125 is halfway between 2 and 2.25; 2000 is out of range.
  EXPECT_THAT(find_tensor_values(c.inputs, "x"), ElementsAre(2, 2, -2.25, 448));
  EXPECT_THAT(find_tensor_values(c.inputs, "x_scale"), ElementsAre(0.5));
  EXPECT_THAT(find_tensor_values(c.inputs, "y_scale"), ElementsAre(static_cast<double>(0.1F)));
  EXPECT_EQ(find(c.inputs, "gate")->dtype, DType::float8_e4m3fn);
  EXPECT_EQ(find(c.inputs, "grad_y")->dtype, DType::float32);
  EXPECT_TRUE(std::ranges::is_sorted(c.inputs, {}, &StoredTensor::name));
}

TEST(EightBitInputs, BlocksHaveTheScaleOfTheirLargestElement) {
  std::vector<double> x(33, 1);
  x[7] = -3;
  x[32] = 0.4375;
  const Case c =
      convert_to_8_bits(make_case_of_rows(x), {.dtype = DType::float8_e4m3fn, .blocks = true});
  EXPECT_THAT(find_tensor_values(c.inputs, "x_scale"), ElementsAre(0x1p-7, 0x1p-10));
  const std::vector<double> stored = find_tensor_values(c.inputs, "x");
  EXPECT_EQ(stored[0], 128);
  EXPECT_EQ(stored[7], -384);
  EXPECT_EQ(stored[32], 448);
  EXPECT_EQ(find(c.inputs, "y_scale"), nullptr);
}

TEST(EightBitInputs, GradientsAreStoredInE5m2) {
  const Case c =
      convert_to_8_bits(make_case_of_rows({1, 2}), {.y = 1, .grad_y = 0.5, .gradients = 0.25});
  EXPECT_EQ(find(c.inputs, "grad_y")->dtype, DType::float8_e5m2);
  EXPECT_THAT(find_tensor_values(c.inputs, "grad_y_scale"), ElementsAre(0.5));
  for (const char* name : {"grad_x_scale", "grad_gate_scale"})
    EXPECT_THAT(find_tensor_values(c.inputs, name), ElementsAre(0.25));
  EXPECT_EQ(find(c.inputs, "x")->dtype, DType::float32);
}

}  // namespace
}  // namespace normproof::verification::golden::recipes
