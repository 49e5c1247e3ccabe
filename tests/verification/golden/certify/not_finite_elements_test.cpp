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

/// Returns, for each element of an output, whether NaN and a finite number are both right. The case
/// is one row of the operation with equal elements of grad_y.
std::vector<bool> find_undetermined(const char* operation, const std::vector<double>& x,
                                    const std::string& output, std::size_t gradients,
                                    double grad_y = 1) {
  using ref::io::DType;
  // y of log_sum_exp has one element for a row of x.
  const std::vector<std::size_t> shape_of_grad_y =
      gradients < x.size() ? std::vector<std::size_t>{1} : std::vector<std::size_t>{1, gradients};
  const corpus::Case c =
      make_user_case({.name = "mine",
                      .op = operation,
                      .mode = "training",
                      .options = {},
                      .sequence = false,
                      .inputs = {ref::io::make_tensor("x", DType::float32, {1, x.size()}, x),
                                 ref::io::make_tensor("grad_y", DType::float32, shape_of_grad_y,
                                                      std::vector<double>(gradients, grad_y))}});
  const OperationInputs inputs = recipes::inputs_of(c, corpus::case_folder(c));
  const Evaluate evaluate = [](const corpus::Case& asked, const OperationInputs& finite) {
    return checks::evaluation::run_operation<double>(asked.options, finite, asked.sequence);
  };
  const NotFiniteElements elements(evaluate, c, inputs);
  std::vector<bool> undetermined;
  for (std::size_t i = 0; i < x.size(); ++i)
    undetermined.push_back(elements.is_undetermined(output, i));
  return undetermined;
}

TEST(NotFiniteElements, AreUndeterminedWhereOnlyAComparisonReadsNan) {
  EXPECT_THAT(find_undetermined("relu", {1, kNaN}, "grad_x", 2), ElementsAre(false, true));
  EXPECT_THAT(find_undetermined("relu", {1, kNaN}, "y", 2), ElementsAre(false, false));
  EXPECT_THAT(find_undetermined("relu", {1, kNaN}, "grad_x", 2, kNaN), ElementsAre(false, true));
}

TEST(NotFiniteElements, AreUndeterminedWhereTheValueOfNanHasNoEffect) {
  EXPECT_THAT(find_undetermined("softmax", {kNaN}, "y", 1), ElementsAre(true));
  EXPECT_THAT(find_undetermined("rms_norm", {0, kNaN}, "y", 2), ElementsAre(true, false));
  EXPECT_THAT(find_undetermined("softmax", {1, kNaN}, "y", 2), ElementsAre(false, false));
  EXPECT_THAT(find_undetermined("softmax", {1, 2}, "y", 2), ElementsAre(false, false));
}

TEST(NotFiniteElements, AreUndeterminedWherePlusInfinityMayHaveALimit) {
  constexpr double kPlusInfinity = std::numeric_limits<double>::infinity();
  EXPECT_THAT(find_undetermined("log_sum_exp", {1, kPlusInfinity}, "grad_x", 1),
              ElementsAre(true, true));
  EXPECT_THAT(find_undetermined("log_sum_exp", {1, kNaN}, "grad_x", 1), ElementsAre(false, false));
}

TEST(NotFiniteElements, AreUndeterminedWhereAMaskExcludesThemFromARowWithNan) {
  using ref::io::DType;
  const corpus::Case c =
      make_user_case({.name = "mine",
                      .op = "softmax",
                      .mode = "training",
                      .options = {},
                      .sequence = false,
                      .inputs = {ref::io::make_tensor("x", DType::float32, {2, 2},
                                                      std::vector<double>{kNaN, 1, 2, 3}),
                                 ref::io::make_tensor("valid", DType::boolean, {2, 2},
                                                      std::vector<double>{1, 0, 1, 0})}});
  const OperationInputs inputs = recipes::inputs_of(c, corpus::case_folder(c));
  const Evaluate evaluate = [](const corpus::Case& asked, const OperationInputs& finite) {
    return checks::evaluation::run_operation<double>(asked.options, finite, asked.sequence);
  };
  const NotFiniteElements elements(evaluate, c, inputs);
  std::vector<bool> undetermined;
  for (std::size_t i = 0; i < 4; ++i) undetermined.push_back(elements.is_undetermined("y", i));
  EXPECT_THAT(undetermined, ElementsAre(true, true, false, false));
}

}  // namespace
}  // namespace normproof::verification::golden::certify
