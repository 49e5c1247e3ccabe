#include "verification/golden/recipes/gated_corpus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "ref/model/operation.hpp"
#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/recipes/corpus.hpp"
#include "verification/golden/recipes/function_corpus.hpp"

namespace normproof::verification::golden::recipes {
namespace {

using ::testing::IsSupersetOf;
using ::testing::UnorderedElementsAre;

std::set<std::string> collect_regimes(Tier tier, const std::string& function) {
  std::set<std::string> reasons;
  for (const Case& c : gated_cases(tier, function, kCorpusSeed)) reasons.insert(c.reason);
  return reasons;
}

TEST(GatedActivationCases, ExistForSiluAndFunctionsWithAGate) {
  std::set<std::string> functions;
  for (const std::string& function : ref::model::function_names())
    if (is_silu_or_gated(function)) {
      functions.insert(function);
      EXPECT_EQ(function_cases(Tier::quick, function, 1).size(),
                gated_cases(Tier::quick, function, 1).size());
    }
  EXPECT_THAT(functions, UnorderedElementsAre("silu", "swiglu", "geglu"));
}

TEST(GatedActivationCases, PutNaNInEachOperand) {
  EXPECT_FALSE(collect_regimes(Tier::quick, "silu").contains("nan_in_gate"));
  for (const char* function : {"swiglu", "geglu"})
    EXPECT_THAT(collect_regimes(Tier::quick, function),
                IsSupersetOf({"nan_in_x", "nan_in_gate", "nan_in_grad_y"}));
  for (const Case& c : gated_cases(Tier::quick, "swiglu", kCorpusSeed))
    if (c.reason == "nan_in_gate") {
      EXPECT_TRUE(std::isnan(find_tensor_values(c.inputs, "gate")[8]));
    }
}

TEST(GatedActivationCases, HaveTheMagnitudesThatTheirNamesState) {
  const auto largest = [](const Case& c, double sign) {
    double most = 0;
    for (const double x : find_tensor_values(c.inputs, "x")) most = std::max(most, sign * x);
    return most;
  };
  for (const Case& c : gated_cases(Tier::quick, "silu", kCorpusSeed)) {
    if (c.reason == "large") {
      EXPECT_GT(largest(c, -1), 1e4);
      EXPECT_GT(largest(c, 1), 1e4);
    }
    if (c.reason == "large_16_bits") {
      EXPECT_GT(largest(c, -1), 150);
      EXPECT_LE(largest(c, 1), 300);
    }
  }
}

// A product with a power of two is exact. So no rounding hides a truncated result.
TEST(GatedActivationCases, GateOfLarge16BitCasesIsAPowerOfTwo) {
  for (const Case& c : gated_cases(Tier::quick, "geglu", kCorpusSeed))
    if (c.reason == "large_16_bits") {
      for (const double gate : find_tensor_values(c.inputs, "gate")) {
        int exponent = 0;
        EXPECT_EQ(std::fabs(std::frexp(gate, &exponent)), 0.5);
      }
    }
}

TEST(GatedActivationCases, AreNotInTheFullTier) {
  EXPECT_TRUE(gated_cases(Tier::full, "silu", 1).empty());
  EXPECT_FALSE(gated_cases(Tier::standard, "silu", 1).empty());
}

}  // namespace
}  // namespace normproof::verification::golden::recipes
