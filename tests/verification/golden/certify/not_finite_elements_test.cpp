#include "verification/golden/certify/not_finite_elements.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "verification/checks/evaluation/sequence.hpp"
#include "verification/golden/certify/user_case.hpp"
#include "verification/golden/recipes/case_inputs.hpp"

namespace normproof::verification::golden::certify {
namespace {

using ref::io::DType;
using ref::io::StoredTensor;
using ref::model::OperationInputs;
using testing::ElementsAre;
using testing::NanSensitiveDoubleEq;

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// A case of a user, and which of its elements are not finite.
struct UserCaseWithNotFinite {
  explicit UserCaseWithNotFinite(const char* operation, std::vector<StoredTensor> inputs)
      : c(make_user_case({.name = "mine", .op = operation, .inputs = std::move(inputs)})),
        elements(
            [this](const corpus::Case& asked, const OperationInputs& finite) {
              ++evaluations;
              return checks::evaluation::run_operation<double>(asked.options, finite,
                                                               asked.sequence);
            },
            c, recipes::inputs_of(c, corpus::case_folder(c))) {}

  std::vector<bool> find_undetermined(const std::string& output, std::size_t count) const {
    std::vector<bool> undetermined;
    undetermined.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
      undetermined.push_back(elements.is_undetermined(output, i));
    return undetermined;
  }

  corpus::Case c;
  int evaluations = 0;
  NotFiniteElements elements;
};

StoredTensor tensor(const char* name, std::vector<std::size_t> shape,
                    const std::vector<double>& values, DType dtype = DType::float32) {
  return ref::io::make_tensor(name, dtype, std::move(shape), values);
}

/// Returns four zeros in which the elements of y that are not finite have been set. The case is one
/// row of the operation. `calls` counts the evaluations.
std::vector<double> set_elements_of_y(const char* operation, const std::vector<double>& x,
                                      int& calls) {
  const UserCaseWithNotFinite user(operation, {tensor("x", {1, 4}, x)});
  std::vector<double> y(4, 0);
  user.elements.set("y", y);
  calls += user.evaluations;
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
  // y of log_sum_exp has one element for a row of x.
  const std::vector<std::size_t> shape_of_grad_y =
      gradients < x.size() ? std::vector<std::size_t>{1} : std::vector<std::size_t>{1, gradients};
  return UserCaseWithNotFinite(
             operation, {tensor("x", {1, x.size()}, x),
                         tensor("grad_y", shape_of_grad_y, std::vector<double>(gradients, grad_y))})
      .find_undetermined(output, x.size());
}

TEST(NotFiniteElements, AreUndeterminedWhereOnlyAComparisonReadsNan) {
  EXPECT_THAT(find_undetermined("relu", {1, kNaN}, "grad_x", 2), ElementsAre(false, true));
  EXPECT_THAT(find_undetermined("relu", {1, kNaN}, "y", 2), ElementsAre(false, false));
  EXPECT_THAT(find_undetermined("relu", {1, kNaN}, "grad_x", 2, kNaN), ElementsAre(false, true));
  // 2 max(x, 0) grad_y is 0 NaN, and a mask gives 0.
  EXPECT_THAT(find_undetermined("relu_squared", {-1, 1}, "grad_x", 2, kNaN),
              ElementsAre(true, false));
}

TEST(NotFiniteElements, AreUndeterminedWhereTheValueOfNanHasNoEffect) {
  EXPECT_THAT(find_undetermined("softmax", {kNaN}, "y", 1), ElementsAre(true));
  EXPECT_THAT(find_undetermined("rms_norm", {0, kNaN}, "y", 2), ElementsAre(true, false));
  EXPECT_THAT(find_undetermined("softmax", {1, kNaN}, "y", 2), ElementsAre(false, false));
  EXPECT_THAT(find_undetermined("softmax", {1, 2}, "y", 2), ElementsAre(false, false));
}

TEST(NotFiniteElements, AreUndeterminedWhereAMaskExcludesThemFromARowWithNan) {
  const UserCaseWithNotFinite user("softmax",
                                   {tensor("x", {2, 2}, {kNaN, 1, 2, 3}),
                                    tensor("valid", {2, 2}, {1, 0, 1, 0}, DType::boolean)});
  EXPECT_THAT(user.find_undetermined("y", 4), ElementsAre(true, true, false, false));
}

}  // namespace
}  // namespace normproof::verification::golden::certify
