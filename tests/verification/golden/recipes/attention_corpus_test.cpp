#include "verification/golden/recipes/attention_corpus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/recipes/corpus.hpp"

namespace normproof::verification::golden::recipes {
namespace {

std::string option(const Case& c, const std::string& name) {
  for (const auto& [own, value] : ref::model::list_options(c.options))
    if (own == name) return value;
  return {};
}

TEST(AttentionCases, HaveMasksAndGroupsInEveryDtype) {
  std::map<std::string, std::set<DType>> dtypes;
  for (const Case& c : attention_cases(Tier::quick, kCorpusSeed)) dtypes[c.reason].insert(c.dtype);
  for (const char* reason : {"random", "causal", "grouped", "ragged", "ragged_causal_grouped",
                             "large_scores", "masked_3e4"})
    EXPECT_EQ(dtypes[reason].size(), 4u) << reason;
}

TEST(AttentionCases, HaveThePropertiesThatTheirNamesState) {
  bool none_seen = false, no_key = false;
  for (const Case& c : attention_cases(Tier::quick, kCorpusSeed)) {
    const auto& q = find(c.inputs, "q")->shape;
    const auto& k = find(c.inputs, "k")->shape;
    if (c.reason.find("causal") != std::string::npos) {
      EXPECT_EQ(option(c, "causal"), "true") << case_folder(c);
    }
    if (c.reason == "causal_fewer_keys") none_seen |= k[2] < q[2];
    if (c.reason == "grouped") {
      EXPECT_GT(k[1], 1u);
      EXPECT_GT(q[1] / k[1], 1u);
    }
    if (c.reason == "sample_without_keys") {
      const std::vector<double> valid = find_tensor_values(c.inputs, "valid");
      no_key |= std::count(valid.begin() + 5, valid.begin() + 10, 0) == 5;
    }
    if (c.reason == "offset_minus_1e5") {
      const auto keys = find_tensor_values(c.inputs, "k");
      EXPECT_LT(*std::ranges::max_element(keys), -200);
    }
  }
  EXPECT_TRUE(none_seen && no_key);
}

TEST(AttentionCases, AreNotInTheFullTier) {
  EXPECT_TRUE(attention_cases(Tier::full, 1).empty());
  EXPECT_FALSE(attention_cases(Tier::standard, 1).empty());
}

}  // namespace
}  // namespace normproof::verification::golden::recipes
