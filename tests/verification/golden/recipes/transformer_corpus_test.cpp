#include "verification/golden/recipes/transformer_corpus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>

#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/gate/check.hpp"
#include "verification/golden/recipes/corpus.hpp"

namespace normproof::verification::golden::recipes {

using corpus::case_folder;
using corpus::DType;
using corpus::find;
using corpus::StoredTensor;

namespace {

std::vector<Case> all_transformers(Tier tier, std::uint64_t seed = kCorpusSeed) {
  std::vector<Case> all;
  for (const std::string& operation : ref::model::transformer_operation_names())
    for (Case& c : transformer_cases(tier, operation, seed)) all.push_back(std::move(c));
  return all;
}

TEST(TransformerCases, EveryNormIsOnEverySideThatSupportsIt) {
  std::map<std::string, std::set<std::string>> norms;  // by operation and option
  for (const Tier tier : {Tier::quick, Tier::standard})
    for (const Case& c : all_transformers(tier))
      for (const auto& [name, value] : ref::model::list_options(c.options))
        if (name == "norm" || name == "decoder_norm")
          norms[corpus::case_operation_name(c) + " " + name].insert(value);
  EXPECT_EQ(norms.size(), 4u);
  for (const std::string& norm : ref::model::norm_names()) {
    const bool over_sentences =
        ref::model::norm_layer(ref::model::norm_options(norm)).uses_statistics_per_sample();
    for (const auto& [side, own] : norms)
      EXPECT_EQ(own.contains(norm), side == "translator norm" || !over_sentences)
          << side << " " << norm;
  }
}

/// If source and target had the same padding, a candidate that uses the target's mask for the
/// source could pass. If the targets were not the next tokens, a candidate that shifts them could
/// pass.
TEST(TransformerCases, SourceAndTargetPaddingDifferAndTargetsAreTheNextTokens) {
  std::size_t seen = 0;
  for (const Case& c : all_transformers(Tier::quick)) {
    const StoredTensor* const targets = find(c.inputs, "targets");
    if (targets == nullptr) continue;
    const std::vector<double> tokens = ref::io::widen(*find(c.inputs, "tokens")),
                              after = ref::io::widen(*targets);
    const StoredTensor* const valid = find(c.inputs, "valid");
    const std::vector<double> real =
        valid == nullptr ? std::vector<double>(tokens.size(), 1) : ref::io::widen(*valid);
    const std::size_t length = targets->shape[1];
    EXPECT_EQ(real.back(), 1) << case_folder(c);
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      if (real[i] == 0) continue;
      EXPECT_NE(tokens[i], after[i]) << case_folder(c) << " " << i;
      if ((i + 1) % length != 0 && real[i + 1] != 0) {
        EXPECT_EQ(tokens[i + 1], after[i]) << case_folder(c) << " " << i;
      }
    }
    ++seen;
  }
  EXPECT_EQ(seen, 8u);
  const Case pair = transformer_cases(Tier::quick, "translator", kCorpusSeed).at(1);
  EXPECT_NE(find(pair.inputs, "source")->shape[1], find(pair.inputs, "tokens")->shape[1]);
  EXPECT_EQ(ref::io::widen(*find(pair.inputs, "valid")),
            (std::vector<double>{1, 0, 0, 1, 1, 0, 1, 1, 1}));
}

TEST(TransformerCases, ReferencePassesQuickCasesWithEveryElementJudged) {
  std::size_t seen = 0;
  for (const Case& c : all_transformers(Tier::quick)) {
    const StoredCase stored = certified(c);
    for (const gate::TensorResult& tensor :
         gate::check_case(stored, reference_output(stored), {}).tensors) {
      EXPECT_TRUE(tensor.passed()) << case_folder(c) << " " << tensor.name;
      EXPECT_EQ(tensor.unjudged, 0u) << case_folder(c) << " " << tensor.name;
      ++seen;
    }
    EXPECT_EQ(find(stored.expected, "logits")->dtype, c.dtype) << case_folder(c);
  }
  EXPECT_GT(seen, 150u);
}

TEST(TransformerCases, BoundsAreFiniteInTheStandardTier) {
  std::size_t seen = 0;
  for (const Case& c : all_transformers(Tier::standard)) {
    for (const auto& [name, bound] :
         tolerance::derive_tolerance(c, corpus::usual_accumulation(c.dtype)).bound)
      for (const double element : bound)
        ASSERT_TRUE(std::isfinite(element)) << case_folder(c) << " " << name;
    ++seen;
  }
  EXPECT_GT(seen, 90u);
}

TEST(TransformerCases, DecodingHasMoreThan64PastPositions) {
  std::map<Tier, std::set<std::size_t>> past;
  for (const Tier tier : {Tier::quick, Tier::standard})
    for (const Case& c : transformer_cases(tier, "decoding", kCorpusSeed))
      if (c.reason == "past_64_positions")
        past[tier].insert(find(c.inputs, "layers.0.self_attention.past_keys")->shape[1]);
  EXPECT_EQ(past[Tier::quick], (std::set<std::size_t>{65}));
  EXPECT_EQ(past[Tier::standard], (std::set<std::size_t>{131}));
}

TEST(TransformerCases, FullTierHasExactlyOneCase) {
  EXPECT_EQ(all_transformers(Tier::full).size(), 1u);
}

}  // namespace
}  // namespace normproof::verification::golden::recipes
