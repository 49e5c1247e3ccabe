#include "verification/golden/recipes/function_corpus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "ref/model/operation_info.hpp"
#include "tests/verification/golden/certify/samples.hpp"
#include "verification/checks/evaluation/functions.hpp"
#include "verification/golden/recipes/corpus.hpp"
#include "verification/golden/recipes/quantize_corpus.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::case_folder;
using corpus::find;
using corpus::Tier;

namespace {

std::set<std::string> collect_function_reasons(const std::string& function) {
  std::set<std::string> reasons;
  for (const Case& c : function_cases(Tier::quick, function, kCorpusSeed)) reasons.insert(c.reason);
  return reasons;
}

TEST(FunctionCases, EachFunctionHasTheRegimesOfItsKind) {
  using ::testing::IsSupersetOf;
  for (const std::string& function : ref::model::function_names()) {
    const ref::model::OperationInfo& info = ref::model::operation_info(function);
    if (!info.is_computed_per_row() || is_quantization(function)) continue;
    const auto reasons = collect_function_reasons(function);
    EXPECT_THAT(reasons, IsSupersetOf({"random", "odd", "last_lane", "nan_in_grad_y"})) << function;
    if (info.takes("residual") ||
        ref::model::is_operation_name<ref::model::GatedRMSNormOptions>(function) ||
        ref::model::is_operation_name<ref::model::L2NormOptions>(function))
      continue;
    const bool sums = function.find("softmax") != std::string::npos || function == "log_sum_exp";
    EXPECT_EQ(reasons.contains("offset_1e4"), sums) << function;
    EXPECT_EQ(reasons.contains("saturated"), sums) << function;
    EXPECT_EQ(reasons.contains("tails"), !sums) << function;
    EXPECT_EQ(reasons.contains("masked"), function == "softmax" || function == "log_sum_exp");
  }
}

TEST(FunctionCases, ReluIsExactAndMasksAreInputs) {
  for (const Case& c : function_cases(Tier::quick, "relu", 1))
    EXPECT_EQ(c.exact, c.reason != "nan_in_grad_y") << case_folder(c);
  for (const Case& c : function_cases(Tier::quick, "softmax", 1))
    EXPECT_EQ(find(c.inputs, "valid") != nullptr,
              c.reason.starts_with("masked") || c.reason == "row_without_elements")
        << case_folder(c);
}

TEST(FunctionCases, HaveALateMaximumWhoseExponentialOverflows) {
  std::map<std::string, std::size_t> seen;
  for (const Tier tier : {Tier::quick, Tier::standard})
    for (const char* function : {"softmax", "log_softmax", "log_sum_exp"})
      for (const Case& c : function_cases(tier, function, kCorpusSeed)) {
        if (c.reason != "late_maximum") continue;
        ++seen[std::string(to_string(tier)) + " " + function];
        const std::size_t features = find(c.inputs, "x")->shape[1];
        const std::vector<double> x = find_tensor_values(c.inputs, "x");
        for (std::size_t row = 0; row * features < x.size(); ++row) {
          const auto begin = x.begin() + static_cast<std::ptrdiff_t>(row * features);
          const double early = *std::max_element(begin, begin + 2048);
          EXPECT_LT(early + 100, *std::max_element(begin + 2048, begin + std::ptrdiff_t(features)))
              << case_folder(c);
        }
      }
  EXPECT_EQ(seen["quick log_sum_exp"], 1u);
  for (const char* function : {"softmax", "log_softmax", "log_sum_exp"})
    EXPECT_EQ(seen[std::string("standard ") + function], 3u) << function;
}

TEST(FunctionCases, ExistInEveryTier) {
  for (const Tier tier : {Tier::quick, Tier::standard})
    for (const Case& c : function_cases(tier, "gelu", 1)) EXPECT_EQ(c.tier, tier);
  EXPECT_EQ(function_cases(Tier::full, "log_sum_exp", 1).size(), 6u);
}

}  // namespace
}  // namespace normproof::verification::golden::recipes
