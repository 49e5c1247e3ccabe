#include "verification/golden/recipes/encoder_limit_corpus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>

#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/gate/check.hpp"
#include "verification/golden/plain/plain_layers.hpp"
#include "verification/golden/recipes/corpus.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::case_folder;
using corpus::DType;
using corpus::find;
using corpus::StoredTensor;
using corpus::Tier;

namespace {

using ::testing::Contains;
using ::testing::IsSupersetOf;
using ::testing::Not;

std::set<std::string> collect_reasons(Tier tier, std::string_view operation) {
  std::set<std::string> reasons;
  for (const Case& c : encoder_limit_cases(tier, operation, 1)) reasons.insert(c.reason);
  return reasons;
}

TEST(EncoderLimitCases, EveryNormIsInTheQuickOrStandardTier) {
  std::map<std::string, std::set<std::string>> norms;  // by operation
  for (const Tier tier : {Tier::quick, Tier::standard})
    for (const Case& c : corpus(tier, kCorpusSeed, "*/*coder*/*"))
      for (const auto& [name, value] : ref::model::list_options(c.options))
        if (name == "norm") norms[corpus::case_operation_name(c)].insert(value);
  // A decoder has no statistics over a sentence.
  for (const std::string& operation : ref::model::encoder_operation_names())
    for (const std::string& norm : ref::model::norm_names())
      EXPECT_EQ(
          norms[operation].contains(norm),
          operation != "decoder_layer" ||
              !ref::model::norm_layer(ref::model::norm_options(norm)).uses_statistics_per_sample())
          << operation << " " << norm;
}

TEST(EncoderLimitCases, EachTierHasTheExpectedRegimes) {
  EXPECT_THAT(collect_reasons(Tier::quick, "encoder_layer"),
              IsSupersetOf({"post_layer_norm", "subnormal_16_bits", "near_largest"}));
  EXPECT_THAT(collect_reasons(Tier::quick, "encoder"),
              IsSupersetOf({"per_position", "pre_batch_norm"}));
  EXPECT_THAT(collect_reasons(Tier::standard, "encoder"),
              IsSupersetOf({"one_word", "many_words", "many_classes", "one_class", "one_feature"}));
  EXPECT_THAT(collect_reasons(Tier::standard, "encoder_layer"), Not(Contains("one_word")));
  EXPECT_TRUE(encoder_limit_cases(Tier::full, "encoder", 1).empty());
}

TEST(EncoderLimitCases, ReferencePassesIn16BitsWithEveryElementJudged) {
  std::size_t seen = 0;
  for (const std::string& operation : ref::model::encoder_operation_names())
    for (const Case& c : encoder_limit_cases(Tier::quick, operation, kCorpusSeed)) {
      const StoredCase stored = certified(c);
      for (const gate::TensorResult& tensor :
           check_case(stored, reference_output(stored), {}).tensors) {
        EXPECT_TRUE(tensor.passed()) << case_folder(c) << " " << tensor.name;
        EXPECT_EQ(tensor.unjudged, 0u) << case_folder(c) << " " << tensor.name;
        ++seen;
      }
      EXPECT_EQ(find(stored.expected, operation == "encoder" ? "logits" : "y")->dtype, c.dtype);
      EXPECT_EQ(find(stored.expected, operation == "encoder" ? "loss" : "y")->dtype,
                operation == "encoder" ? DType::float32 : c.dtype);
    }
  EXPECT_GT(seen, 200u);
}

TEST(EncoderLimitCases, BoundsAreFiniteInTheStandardTier) {
  std::size_t seen = 0;
  for (const std::string& operation : ref::model::encoder_operation_names())
    for (const Case& c : encoder_limit_cases(Tier::standard, operation, kCorpusSeed)) {
      if (find(c.inputs, "valid")->shape[1] > 1000) continue;  // takes seconds
      for (const auto& [name, bound] :
           tolerance::derive_tolerance(c, corpus::usual_accumulation(c.dtype)).bound)
        for (const double element : bound)
          ASSERT_TRUE(std::isfinite(element)) << case_folder(c) << " " << name;
      ++seen;
    }
  EXPECT_GT(seen, 40u);
}

/// The mutation rounds x in the gradient of alpha to 16 bits.
TEST(EncoderLimitCases, BoundsExcludeAFactorRoundedTo16Bits) {
  std::size_t seen = 0;
  for (const std::string& operation : ref::model::encoder_operation_names())
    for (const Case& c : encoder_limit_cases(Tier::standard, operation, kCorpusSeed)) {
      if (c.reason != "pre_dyt") continue;
      mutations::Sites rounded(
          {"norm: x in grad_alpha", mutations::MutationOperator::half_precision});
      const std::vector<StoredTensor> answer =
          plain::run_plain(c, inputs_of(c, case_folder(c)), {}, rounded);
      EXPECT_FALSE(check_case(certified(c), answer, {}).passed()) << case_folder(c);
      ++seen;
    }
  EXPECT_EQ(seen, 6u);
}

}  // namespace
}  // namespace normproof::verification::golden::recipes
