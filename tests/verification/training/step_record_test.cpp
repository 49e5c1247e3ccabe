#include "verification/training/step_record.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace normproof::verification::training {
namespace {

using ref::io::DType;
using ref::numeric::ball;
using ref::tensor::Tensor;
using ::testing::ElementsAre;

TEST(StepRecord, RepeatedTensorNamesGetANumber) {
  StepRecord record;
  EXPECT_EQ(record.make_unique_name("x"), "x");
  EXPECT_EQ(record.make_unique_name("x"), "x.2");
  EXPECT_EQ(record.make_unique_name("y"), "y");
  EXPECT_EQ(record.make_unique_name("x"), "x.3");
}

TEST(StepRecord, MasksAreBooleanAndRowIdsAreInt64) {
  EXPECT_EQ(tap_tensor_dtype("layers.0.attention.y.keep"), DType::boolean);
  EXPECT_EQ(tap_tensor_dtype("layers.0.attention.y.keep.2"), DType::boolean);
  EXPECT_EQ(tap_tensor_dtype("grad_embedding.weight.row_ids"), DType::int64);
  EXPECT_EQ(tap_tensor_dtype("grad_embedding.weight.rows"), DType::float64);
  StepRecord record;
  record.add("a.keep", Tensor<double>{1, 0});
  EXPECT_EQ(record.tensors().at(0).dtype, DType::boolean);
}

TEST(StepRecord, BallsAreStoredAsNearestDoubleAndRemainder) {
  StepRecord record;
  const Tensor<ball> third{ball(1) / ball(3), ball(2)};
  EXPECT_EQ(record.add("t", third), std::nullopt);
  ASSERT_EQ(record.tensors().size(), 2u);
  EXPECT_EQ(record.tensors()[0].name, "t");
  EXPECT_EQ(record.tensors()[1].name, "t_lo");
  EXPECT_THAT(ref::io::widen(record.tensors()[0]), ElementsAre(1.0 / 3, 2));
  // The remainder 1/3 - 0x1.5555555555555p-2 is exactly 2^-54 / 3.
  EXPECT_THAT(ref::io::widen(record.tensors()[1]), ElementsAre(0x1p-54 / 3, 0));
}

TEST(StepRecord, ErrorNamesAnUndecidedElementAndNothingIsAdded) {
  StepRecord record;
  const ball wide = ref::numeric::hull(ball(1), ball(1.5));
  EXPECT_EQ(record.add("t", Tensor<ball>{ball(1), wide}), "t at [1]");
  EXPECT_TRUE(record.tensors().empty());
}

}  // namespace
}  // namespace normproof::verification::training
