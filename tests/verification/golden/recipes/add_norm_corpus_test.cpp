#include "verification/golden/recipes/add_norm_corpus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/recipes/corpus.hpp"

namespace normproof::verification::golden::recipes {
namespace {

using ::testing::Contains;
using ::testing::IsSupersetOf;
using ::testing::Not;

constexpr const char* kAddNorms[] = {"add_layer_norm", "add_rms_norm"};

std::set<std::string> list_regimes(const char* function) {
  std::set<std::string> reasons;
  for (const Case& c : add_norm_cases(Tier::quick, function, kCorpusSeed)) reasons.insert(c.reason);
  return reasons;
}

TEST(AddNormCases, PutNaNInEachOperand) {
  for (const char* function : kAddNorms)
    EXPECT_THAT(list_regimes(function),
                IsSupersetOf({"nan_in_x", "nan_in_residual", "nan_in_grad_y", "nan_in_grad_sum"}));
}

TEST(AddNormCases, OmitBetaOnlyForRmsNorm) {
  EXPECT_THAT(list_regimes("add_rms_norm"), Contains("gamma_alone"));
  EXPECT_THAT(list_regimes("add_layer_norm"), Not(Contains("gamma_alone")));
}

TEST(AddNormCases, CancelLargeOperandsToSmallSums) {
  for (const Case& c : add_norm_cases(Tier::quick, "add_layer_norm", kCorpusSeed)) {
    if (c.reason != "cancelling") continue;
    const auto x = find_tensor_values(c.inputs, "x"),
               residual = find_tensor_values(c.inputs, "residual");
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_GE(std::fabs(residual[i]), 900);
      EXPECT_LE(std::fabs(x[i] + residual[i]), 10);
    }
  }
}

TEST(AddNormCases, HaveTheOperandsOfTheFunction) {
  for (const Case& c : add_norm_cases(Tier::quick, "add_rms_norm", kCorpusSeed)) {
    std::vector<std::string> names;
    for (const StoredTensor& tensor : c.inputs) names.push_back(tensor.name);
    EXPECT_THAT(names, IsSupersetOf({"grad_sum", "grad_y", "residual", "x"})) << case_folder(c);
    if (c.reason == "random") {
      EXPECT_EQ(names.size(), 6u);
    }
  }
}

TEST(AddNormCases, AreNotInTheFullTier) {
  for (const char* function : kAddNorms) {
    EXPECT_TRUE(add_norm_cases(Tier::full, function, 1).empty());
    EXPECT_FALSE(add_norm_cases(Tier::standard, function, 1).empty());
  }
}

}  // namespace
}  // namespace normproof::verification::golden::recipes
