#include "verification/training/classification.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/ref/numeric/error_message.hpp"

namespace normproof::verification::training {
namespace {

TEST(Classify, MatchesHandComputation) {
  // F1 of class 0 (tp 1, fp 1, fn 0) is 2/3. F1 of class 1 (tp 1, fp 0, fn 1) is 2/3. F1 of class
  // 2, which does not occur, is 0.
  const Classification c = classify({0, 1, 0}, {0, 1, 1}, 3);
  EXPECT_DOUBLE_EQ(c.accuracy, 2.0 / 3);
  EXPECT_DOUBLE_EQ(c.macro_f1, (2.0 / 3 + 2.0 / 3 + 0) / 3);
  EXPECT_EQ(classify({2, 2}, {2, 2}, 3).accuracy, 1);
}

std::string classify_error_message(const std::vector<int>& predictions,
                                   const std::vector<int>& labels) {
  return ref::numeric::contract_message([&] { classify(predictions, labels, 3); });
}

TEST(Classify, C1_RejectsEmptyInputOrDifferentNumbers) {
  EXPECT_EQ(classify_error_message({}, {}),
            "classify: predictions has 0 for 0 labels; expected as many, at least one (C1)");
  EXPECT_EQ(classify_error_message({1}, {1, 2}),
            "classify: predictions has 1 for 2 labels; expected as many, at least one (C1)");
}

TEST(Classify, C2_RejectsClassesOutOfRange) {
  EXPECT_EQ(classify_error_message({3}, {1}),
            "classify: predictions has the class 3 at 0; expected a class below 3 (C2)");
  EXPECT_EQ(classify_error_message({1, 1}, {1, -1}).substr(0, 25), "classify: labels has the ");
}

}  // namespace
}  // namespace normproof::verification::training
