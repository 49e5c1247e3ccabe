#include "verification/operands/optional_operands.hpp"

#include <gtest/gtest.h>

namespace normproof::verification::operands {
namespace {

using Names = std::vector<std::string>;

TEST(OptionalOperands, ListTheGradientTheMaskAndTheParameters) {
  EXPECT_EQ(accepted_operands("relu"), (Names{"grad_y"}));
  EXPECT_EQ(accepted_operands("softmax"), (Names{"grad_y", "valid"}));
  EXPECT_EQ(accepted_operands("add_rms_norm"), (Names{"grad_y", "grad_sum", "gamma", "beta"}));
}

TEST(OptionalOperands, CrossEntropyTakesNoUpstreamGradient) {
  EXPECT_EQ(accepted_operands("cross_entropy"), (Names{"class_weights", "valid"}));
}

}  // namespace
}  // namespace normproof::verification::operands
