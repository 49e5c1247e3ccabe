#include "verification/golden/gate/failing_outputs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/golden/gate/wrong_kernel.hpp"

namespace normproof::verification::golden::gate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(FailingOutputs, AreTheOutputsThatFailWithTheirWrongElements) {
  const StoredCase stored = certified(plain_recipe("layer_norm", {3, 4}, DType::float32).make(1));
  const auto right = run_mutation(stored.description.c, {});
  EXPECT_THAT(failing_outputs_of(stored, right), IsEmpty());
  const auto wrong = change_output(
      right, "y", [](double v, std::size_t i) { return i == 5 || i == 7 ? v + 1 : v; });
  const std::vector<FailingOutput> failing = failing_outputs_of(stored, wrong);
  ASSERT_THAT(failing, SizeIs(1));
  EXPECT_EQ(failing[0].name, "y");
  EXPECT_THAT(failing[0].failed, ElementsAre(5, 7));
  EXPECT_THAT(failing[0].shape, ElementsAre(3, 4));
  EXPECT_EQ(failing[0].got, find_tensor_values(wrong, "y"));
  EXPECT_THAT(failing[0].bound, SizeIs(12));
  for (const double bound : failing[0].bound) EXPECT_GT(bound, 0);
}

}  // namespace
}  // namespace normproof::verification::golden::gate
