#include "verification/golden/certify/not_finite_elements.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "verification/checks/evaluation/sequence.hpp"
#include "verification/golden/certify/user_case.hpp"
#include "verification/golden/recipes/case_inputs.hpp"

namespace normproof::verification::golden::certify {
namespace {

using ref::model::OperationInputs;
using testing::ElementsAre;
using testing::NanSensitiveDoubleEq;

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Returns four zeros in which the elements of y that are not finite have been set. The case is one
/// row of the operation. `calls` counts the evaluations.
std::vector<double> set_elements_of_y(const char* operation, const std::vector<double>& x,
                                      int& calls) {
  const corpus::Case c =
      make_user_case({.name = "mine",
                      .op = operation,
                      .mode = "training",
                      .options = {},
                      .sequence = false,
                      .inputs = {ref::io::make_tensor("x", ref::io::DType::float32, {1, 4}, x)}});
  const OperationInputs inputs = recipes::inputs_of(c, corpus::case_folder(c));
  const Evaluate evaluate = [&](const corpus::Case& asked, const OperationInputs& finite) {
    ++calls;
    return checks::evaluation::run_operation<double>(asked.options, finite, asked.sequence);
  };
  std::vector<double> y(4, 0);
  NotFiniteElements(evaluate, c, inputs).set("y", y);
  return y;
}

TEST(NotFiniteElements, AreNanWhereTheyDependOnNan) {
  int calls = 0;
  EXPECT_THAT(set_elements_of_y("relu", {1, kNaN, 2, 3}, calls),
              ElementsAre(0, NanSensitiveDoubleEq(kNaN), 0, 0));
  EXPECT_EQ(calls, 2);
  EXPECT_THAT(set_elements_of_y("softmax", {1, kNaN, 2, 3}, calls),
              testing::Each(NanSensitiveDoubleEq(kNaN)));
}

TEST(NotFiniteElements, AreMinusInfinityWhereThatIsTheLimit) {
  int calls = 0;
  EXPECT_THAT(set_elements_of_y("log_softmax", {1, kMinusInfinity, 2, 3}, calls),
              ElementsAre(0, kMinusInfinity, 0, 0));
  EXPECT_THAT(set_elements_of_y("softmax", {1, kMinusInfinity, 2, 3}, calls),
              ElementsAre(0, 0, 0, 0));
}

TEST(NotFiniteElements, AreNotSearchedIfAllInputsAreFinite) {
  int calls = 0;
  EXPECT_THAT(set_elements_of_y("softmax", {1, 0, 2, 3}, calls), ElementsAre(0, 0, 0, 0));
  EXPECT_EQ(calls, 0);
}

}  // namespace
}  // namespace normproof::verification::golden::certify
