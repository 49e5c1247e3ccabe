#include "verification/golden/recipes/attention_corpus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
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

TEST(AttentionCases, HaveSinksForEachQueryHead) {
  std::set<DType> dtypes;
  bool is_above = false, sees_no_key = false, has_zeros = false, has_cap = false;
  for (const Tier tier : {Tier::quick, Tier::standard})
    for (const Case& c : attention_cases(tier, kCorpusSeed)) {
      const StoredTensor* const sinks = find(c.inputs, "sinks");
      ASSERT_EQ(sinks != nullptr, c.reason.find("sinks") != std::string::npos) << case_folder(c);
      if (sinks == nullptr) continue;
      EXPECT_EQ(sinks->shape, std::vector{find(c.inputs, "q")->shape[1]}) << case_folder(c);
      const std::vector<double> values = find_tensor_values(c.inputs, "sinks");
      if (c.reason == "sinks") dtypes.insert(c.dtype);
      is_above |= *std::ranges::min_element(values) > 90;
      has_zeros |= std::ranges::count(values, 0.0) == std::ssize(values);
      sees_no_key |= c.reason == "sinks_fewer_keys";
      has_cap |= !option(c, "soft_cap").empty();
    }
  EXPECT_EQ(dtypes.size(), 4u);
  EXPECT_TRUE(is_above && sees_no_key && has_zeros && has_cap);
}

TEST(AttentionCases, HaveABiasOfEveryBroadcastShape) {
  std::set<std::pair<bool, bool>> is_repeated;
  std::set<DType> dtypes;
  bool hides = false, hides_all = false;
  for (const Case& c : attention_cases(Tier::quick, kCorpusSeed)) {
    const StoredTensor* const bias = find(c.inputs, "bias");
    ASSERT_EQ(bias != nullptr, c.reason.starts_with("bias")) << case_folder(c);
    if (bias == nullptr) continue;
    const auto& q = find(c.inputs, "q")->shape;
    is_repeated.emplace(bias->shape[0] < q[0], bias->shape[1] < q[1]);
    if (c.reason == "bias") dtypes.insert(c.dtype);
    const std::vector<double> values = find_tensor_values(c.inputs, "bias");
    const auto is_hidden = [](double v) { return std::isinf(v) && v < 0; };
    hides |= std::ranges::any_of(values, is_hidden);
    const auto keys = static_cast<std::ptrdiff_t>(bias->shape[3]);
    for (auto row = values.begin(); row != values.end(); row += keys)
      hides_all |= std::all_of(row, row + keys, is_hidden);
  }
  EXPECT_EQ(is_repeated.size(), 4u);
  EXPECT_EQ(dtypes.size(), 4u);
  EXPECT_TRUE(hides && hides_all);
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

TEST(AttentionCases, HaveHeadsOf64And128Features) {
  std::map<Tier, std::set<std::pair<DType, std::size_t>>> heads;
  for (const Tier tier : {Tier::quick, Tier::standard})
    for (const Case& c : attention_cases(tier, kCorpusSeed))
      if (c.reason.starts_with("heads_of_"))
        heads[tier].emplace(c.dtype, find(c.inputs, "q")->shape[3]);
  EXPECT_EQ(heads[Tier::quick], (std::set<std::pair<DType, std::size_t>>{{DType::bfloat16, 64},
                                                                         {DType::float16, 64},
                                                                         {DType::float32, 64},
                                                                         {DType::bfloat16, 128},
                                                                         {DType::float16, 128}}));
  for (const DType dtype : {DType::float32, DType::float16, DType::bfloat16})
    for (const std::size_t features : {64, 128})
      EXPECT_TRUE(heads[Tier::standard].contains({dtype, features})) << features;
}

TEST(AttentionCases, ChunkedPrefillHasABlockOfKeysBeforeTheFirstQuery) {
  std::map<Tier, std::size_t> seen;
  for (const Tier tier : {Tier::quick, Tier::standard})
    for (const Case& c : attention_cases(tier, kCorpusSeed)) {
      if (c.reason != "chunked_prefill") continue;
      ++seen[tier];
      EXPECT_EQ(option(c, "causal"), "true") << case_folder(c);
      EXPECT_GT(find(c.inputs, "q")->shape[2], 1u) << case_folder(c);
      EXPECT_GT(find(c.inputs, "k")->shape[2], find(c.inputs, "q")->shape[2] + 64)
          << case_folder(c);
    }
  EXPECT_EQ(seen[Tier::quick], 1u);
  EXPECT_EQ(seen[Tier::standard], 3u);
}

TEST(AttentionCases, AreNotInTheFullTier) {
  EXPECT_TRUE(attention_cases(Tier::full, 1).empty());
  EXPECT_FALSE(attention_cases(Tier::standard, 1).empty());
}

}  // namespace
}  // namespace normproof::verification::golden::recipes
