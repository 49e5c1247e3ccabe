#include "verification/training/classification.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ref/numeric/error_message.hpp"

namespace normproof::verification::training {
namespace {

using ::testing::HasSubstr;

TEST(Classify, ByHand) {
  // Class 0: tp 1, fp 1, fn 0: 2/3. Class 1: tp 1, fp 0, fn 1: 2/3. Class 2: never, 0.
  const Classification c = classify({0, 1, 0}, {0, 1, 1}, 3);
  EXPECT_DOUBLE_EQ(c.accuracy, 2.0 / 3);
  EXPECT_DOUBLE_EQ(c.macro_f1, (2.0 / 3 + 2.0 / 3 + 0) / 3);
  EXPECT_EQ(classify({2, 2}, {2, 2}, 3).accuracy, 1);
}

TEST(Classify, C1AndC2) {
  const auto message = [](std::vector<int> p, std::vector<int> l) {
    return ref::numeric::contract_message([&] { classify(p, l, 3); });
  };
  EXPECT_THAT(message({}, {}), HasSubstr("(C1)"));
  EXPECT_THAT(message({1}, {1, 2}), HasSubstr("predictions has 1 for 2 labels"));
  EXPECT_THAT(message({3}, {1}), HasSubstr("predictions has the class 3 at 0"));
}

}  // namespace
}  // namespace normproof::verification::training
