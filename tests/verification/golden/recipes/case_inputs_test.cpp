#include "verification/golden/recipes/case_inputs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/golden/certify/samples.hpp"

namespace normproof::verification::golden::recipes {
namespace {

using corpus::DType;
using ::testing::HasSubstr;

TEST(CaseInputs, AreWidenedToDoubleAndNamed) {
  Case c = plain_recipe("batch_norm", {4, 3}, DType::float16).make(1);
  const checks::evaluation::EvalInputs inputs = inputs_of(c, "f");
  ASSERT_EQ(inputs.steps.size(), 1u);
  EXPECT_EQ(inputs.steps[0].x.data()[5], values_of(c.inputs, "x")[5]);
  EXPECT_TRUE(inputs.state.contains("running_mean"));
  c.inputs.push_back(tensor_of("gama", DType::float64, {3}, {1, 1, 1}));
  EXPECT_THAT(file_message([&] { inputs_of(c, "f.safetensors"); }),
              testing::AllOf(HasSubstr("f.safetensors"), HasSubstr("gama"), HasSubstr("gamma")));
}

}  // namespace
}  // namespace normproof::verification::golden::recipes
