#include "verification/golden/gate/gradient_case.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/golden/certify/samples.hpp"

namespace normproof::verification::golden::gate {
namespace {

TEST(GradientCase, AddsAGradientOfZerosToAFunctionWithoutOne) {
  const StoredCase with_gradient =
      certified(plain_recipe("softmax", {2, 3}, DType::float32).make(1));
  EXPECT_EQ(with_every_gradient(with_gradient).inputs, with_gradient.description.c.inputs);
  StoredCase without = with_gradient;
  std::erase_if(without.description.c.inputs,
                [](const StoredTensor& tensor) { return tensor.name == "grad_y"; });
  const Case c = with_every_gradient(without);
  EXPECT_THAT(find_tensor_values(c.inputs, "grad_y"), testing::Each(0.0));
  EXPECT_EQ(find(c.inputs, "grad_y")->shape, (std::vector<std::size_t>{2, 3}));
}

TEST(GradientCase, DoesNotChangeANorm) {
  StoredCase stored = certified(plain_recipe("layer_norm", {2, 3}, DType::float32).make(1));
  std::erase_if(stored.description.c.inputs,
                [](const StoredTensor& tensor) { return tensor.name == "grad_y"; });
  EXPECT_EQ(with_every_gradient(stored).inputs, stored.description.c.inputs);
}

}  // namespace
}  // namespace normproof::verification::golden::gate
