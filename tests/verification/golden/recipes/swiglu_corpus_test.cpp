#include "verification/golden/recipes/swiglu_corpus.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "ref/model/operation.hpp"
#include "tests/verification/golden/certify/samples.hpp"

namespace normproof::verification::golden::recipes {
namespace {

using Texts = std::map<std::string, std::string>;

Texts swiglu_options_of_case(const Case& c) {
  Texts options;
  for (const auto& [name, value] : ref::model::list_all_options(c.options)) options[name] = value;
  return options;
}

double swiglu_limit_of_case(const Case& c) {
  const std::string text = swiglu_options_of_case(c).at("limit");
  return text == "none" ? std::numeric_limits<double>::infinity() : std::stod(text);
}

TEST(SwigluOptionCases, HaveEachOptionAloneAndAllOfThemTogether) {
  std::set<std::set<std::string>> changed;
  const Texts defaults = {{"limit", "none"}, {"alpha", "1"}, {"beta", "0"}};
  for (const Case& c : swiglu_option_cases(Tier::quick, 1)) {
    std::set<std::string> names;
    for (const auto& [name, value] : swiglu_options_of_case(c))
      if (defaults.at(name) != value) names.insert(name);
    EXPECT_FALSE(names.empty()) << c.reason;
    changed.insert(names);
  }
  EXPECT_EQ(changed,
            (std::set<std::set<std::string>>{
                {"limit"}, {"alpha"}, {"beta"}, {"limit", "beta"}, {"limit", "alpha", "beta"}}));
}

TEST(SwigluOptionCases, LimitedCasesHaveElementsOnBothSidesOfTheLimit) {
  for (const Tier tier : {Tier::quick, Tier::standard})
    for (const Case& c : swiglu_option_cases(tier, 1)) {
      const double limit = swiglu_limit_of_case(c);
      if (std::isinf(limit) || c.reason == "nan_at_the_limit" || c.reason == "one_column") continue;
      const auto x = find_tensor_values(c.inputs, "x"), gate = find_tensor_values(c.inputs, "gate");
      const auto above = [=](double v) { return v > limit; };
      const auto below = [=](double v) { return v < -limit; };
      for (const auto& values : {x, gate}) {
        EXPECT_TRUE(std::ranges::any_of(values, above)) << c.reason;
        EXPECT_TRUE(std::ranges::any_of(values, below)) << c.reason;
        EXPECT_TRUE(std::ranges::any_of(values, [=](double v) { return !above(v) && !below(v); }))
            << c.reason;
      }
    }
}

TEST(SwigluOptionCases, HaveElementsExactlyAtTheLimit) {
  std::size_t found = 0;
  for (const Case& c : swiglu_option_cases(Tier::quick, 1)) {
    if (c.reason != "at_the_limit") continue;
    ++found;
    const double limit = swiglu_limit_of_case(c);
    const auto x = find_tensor_values(c.inputs, "x"), gate = find_tensor_values(c.inputs, "gate");
    EXPECT_TRUE(std::ranges::count(x, limit) > 0);
    EXPECT_TRUE(std::ranges::count(gate, limit) > 0 && std::ranges::count(gate, -limit) > 0);
  }
  EXPECT_EQ(found, 2u);
}

TEST(SwigluOptionCases, HaveNaNWithoutAGradient) {
  for (const Case& c : swiglu_option_cases(Tier::quick, 1))
    if (c.reason == "nan_at_the_limit") {
      EXPECT_TRUE(std::isnan(find_tensor_values(c.inputs, "x")[13]));
      EXPECT_TRUE(std::isnan(find_tensor_values(c.inputs, "gate")[8]));
      EXPECT_FALSE(std::ranges::any_of(c.inputs, [](const auto& t) { return t.name == "grad_y"; }));
    }
}

TEST(SwigluOptionCases, AreNotInTheFullTier) {
  EXPECT_TRUE(swiglu_option_cases(Tier::full, 1).empty());
}

}  // namespace
}  // namespace normproof::verification::golden::recipes
