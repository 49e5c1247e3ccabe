#include "verification/checks/agreement/random_cases.hpp"

#include <gtest/gtest.h>

#include <map>

namespace normproof::verification::checks::agreement {
namespace {

TEST(RandomCases, CoverEveryNormAndFunctionWithCriticalShapes) {
  std::map<std::string, int> cases;
  bool past_a_grid = false, of_one = false, nothing_valid = false;
  const auto see = [&](const RandomCase& c) {
    ++cases[ref::model::operation_name(c.operation)];
    for (const auto& step : c.inputs.steps) {
      past_a_grid = past_a_grid || step.x.shape(0) > 65535;
      of_one = of_one || step.x.shape().back() == 1;
      nothing_valid = nothing_valid ||
                      (ref::tensor::is_given(step.valid) &&
                       std::find(step.valid.begin(), step.valid.end(), true) == step.valid.end());
    }
  };
  for (const auto& name : ref::model::operation_names()) for_each_random_case(1, name, see);
  EXPECT_TRUE(past_a_grid && of_one && nothing_valid);
  for (const auto& name : ref::model::norm_names()) EXPECT_GE(cases[name], 10) << name;
  for (const auto& name : ref::model::function_names()) EXPECT_GE(cases[name], 5) << name;
}

TEST(RandomCases, DependOnTheSeed) {
  EXPECT_EQ(random_tensor(1, "a", {5}), random_tensor(1, "a", {5}));
  EXPECT_NE(random_tensor(1, "a", {5}), random_tensor(2, "a", {5}));
}

}  // namespace
}  // namespace normproof::verification::checks::agreement
