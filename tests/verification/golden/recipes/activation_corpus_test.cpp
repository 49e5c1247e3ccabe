#include "verification/golden/recipes/activation_corpus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "ref/model/operation_info.hpp"
#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/corpus/kind.hpp"

namespace normproof::verification::golden::recipes {
namespace {

using corpus::Case;
using corpus::Tier;
using testing::Contains;
using testing::Pair;

std::map<std::string, std::string> options_of_case(const Case& c) {
  std::map<std::string, std::string> options;
  for (const auto& [name, value] : ref::model::list_options(c.options)) options[name] = value;
  return options;
}

TEST(ActivationCases, ExistForFunctionsOfExponentialsInTheQuickTier) {
  std::set<std::string> found;
  for (const std::string& function : ref::model::function_names()) {
    if (!activation_cases(Tier::quick, function, 1).empty()) found.insert(function);
    EXPECT_TRUE(activation_cases(Tier::standard, function, 1).empty()) << function;
  }
  EXPECT_EQ(found, (std::set<std::string>{"sigmoid", "log_sigmoid", "softplus", "tanh", "mish"}));
}

TEST(ActivationCases, ReachExponentialsThatOverflowOnBothSides) {
  for (const Case& c : activation_cases(Tier::quick, "sigmoid", 1)) {
    const auto x = find_tensor_values(c.inputs, "x");
    EXPECT_GT(*std::ranges::max_element(x), 89) << case_folder(c);
    EXPECT_LT(*std::ranges::min_element(x), -104) << case_folder(c);
  }
}

/// Each option of softplus has a case in which some elements are on either side of the threshold,
/// and in which beta x and x differ.
TEST(ActivationCases, SoftplusHasElementsOnBothSidesOfEachThreshold) {
  std::set<std::string> betas, thresholds;
  for (const Case& c : activation_cases(Tier::quick, "softplus", 1)) {
    const auto options = options_of_case(c);
    const double beta = std::stod(options.at("beta"));
    betas.insert(options.at("beta"));
    if (options.at("threshold") == "none") continue;
    const double threshold = std::stod(options.at("threshold"));
    thresholds.insert(options.at("threshold"));
    const auto x = find_tensor_values(c.inputs, "x");
    const auto is_above = [&](double v) { return beta * v > threshold; };
    EXPECT_TRUE(std::ranges::any_of(x, is_above)) << case_folder(c);
    EXPECT_TRUE(std::ranges::any_of(x, [&](double v) { return v > 0 && !is_above(v); }))
        << case_folder(c);
  }
  EXPECT_EQ(betas.size(), 4u);
  EXPECT_EQ(thresholds.size(), 3u);
}

}  // namespace
}  // namespace normproof::verification::golden::recipes
