#include "verification/golden/recipes/case_inputs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/corpus/scaling.hpp"
#include "verification/golden/recipes/scaled_corpus.hpp"

namespace normproof::verification::golden::recipes {
namespace {

using corpus::DType;
using ::testing::HasSubstr;

TEST(CaseInputs, AreWidenedToDoubleAndNamed) {
  Case c = plain_recipe("batch_norm", {4, 3}, DType::float16).make(1);
  const checks::evaluation::EvalInputs inputs = inputs_of(c, "f");
  ASSERT_EQ(inputs.steps.size(), 1u);
  EXPECT_EQ(inputs.steps[0].x.data()[5], find_tensor_values(c.inputs, "x")[5]);
  EXPECT_TRUE(inputs.state.contains("running_mean"));
  c.inputs.push_back(make_stored_tensor("gama", DType::float64, {3}, {1, 1, 1}));
  EXPECT_THAT(file_error_message([&] { inputs_of(c, "f.safetensors"); }),
              testing::AllOf(HasSubstr("f.safetensors"), HasSubstr("gama"), HasSubstr("gamma")));
}

TEST(CaseInputs, MultiplyEightBitElementsByTheirScales) {
  const Case c = scaled_cases(corpus::Tier::quick, "rms_norm", 1).front();
  const Case real = corpus::dequantize_inputs(c);
  ASSERT_TRUE(corpus::is_scaled(c));
  const std::vector<double> expected = find_tensor_values(real.inputs, "x"),
                            stored = find_tensor_values(c.inputs, "x");
  const auto inputs = inputs_of(c);
  const auto& x = inputs.steps.front().x;
  EXPECT_EQ(std::vector<double>(x.data(), x.data() + x.size()), expected);
  EXPECT_NE(stored, expected);
}

TEST(CaseInputs, RejectNamesThatEndLikeScalesInACaseWithoutScales) {
  Case c = plain_recipe("batch_norm", {4, 3}, DType::float16).make(1);
  c.inputs.push_back(make_stored_tensor("x_scale", DType::float64, {1}, {1}));
  EXPECT_THAT(file_error_message([&] { inputs_of(c, "f"); }), HasSubstr("x_scale"));
}

}  // namespace
}  // namespace normproof::verification::golden::recipes
