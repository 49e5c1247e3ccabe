#include "verification/golden/gate/option_suggestions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <set>

#include "tests/verification/golden/attention_case.hpp"
#include "tests/verification/golden/gate/wrong_kernel.hpp"
#include "verification/golden/gate/diagnose.hpp"
#include "verification/golden/mutations/mistake_name.hpp"
#include "verification/golden/recipes/corpus.hpp"
#include "verification/golden/recipes/scaled_corpus.hpp"

namespace normproof::verification::golden::gate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> suggestions_for(const StoredCase& stored,
                                         const std::vector<StoredTensor>& answer,
                                         const CheckOptions& options = {}) {
  const CaseResult result = check_case(stored, answer, options);
  EXPECT_FALSE(result.passed());
  std::vector<std::string> found;
  for (const Diagnosis& diagnosis : diagnose(stored, answer, result, options))
    found.push_back(diagnosis.sentence());
  return found;
}

/// Returns the answer of a correct implementation of the case in which an option has another value.
std::vector<StoredTensor> answer_for_option(const Case& c, const char* option, const char* value) {
  Case other = c;
  ref::model::set_option(other.options, option, value);
  return run_mutation(other, {});
}

TEST(OptionSuggestions, NameThePlacementOfEpsForWhichTheAnswerIsRight) {
  const Case c = plain_recipe("l2_norm", {4, 6}, DType::float32)
                     .option("eps", "0.5")
                     .x([](std::size_t, double normal) { return 0.25 * normal; })
                     .make(1);
  EXPECT_THAT(suggestions_for(certified(c), answer_for_option(c, "eps_placement", "floor")),
              ElementsAre("the answer is right for eps_placement='floor': grad_x, y"));
  EXPECT_THAT(suggestions_for(certified(c), answer_for_option(c, "eps_placement", "outside")),
              ElementsAre("the answer is right for eps_placement='outside': grad_x, y"));
}

TEST(OptionSuggestions, NameAFlagForWhichTheAnswerIsRight) {
  const Case c = plain_recipe("layer_norm", {4, 6}, DType::float32).make(1);
  std::vector<StoredTensor> answer = answer_for_option(c, "zero_centred_gamma", "true");
  EXPECT_THAT(suggestions_for(certified(c), answer)[0],
              testing::StartsWith("the answer is right for zero_centred_gamma=True: "));
}

TEST(OptionSuggestions, NameTheDefaultOfANumberThatTheCandidateIgnores) {
  const auto of_default = [](const Case& c, const char* option, const char* value) {
    return suggestions_for(certified(c), answer_for_option(c, option, value))[0];
  };
  EXPECT_EQ(
      of_default(plain_recipe("rms_norm", {4, 6}, DType::float32).option("eps", "0.5").make(1),
                 "eps", "1e-05"),
      "the answer is right for eps=1e-05: grad_beta, grad_gamma, grad_x, rstd, y");
  EXPECT_EQ(
      of_default(plain_recipe("group_norm", {4, 6}, DType::float32).option("groups", "3").make(1),
                 "groups", "1"),
      "the answer is right for groups=1: grad_beta, grad_gamma, grad_x, mean, rstd, y");
  Case attention = attention_case({1, 2, 0.5}, {3, -1}, {1, 2}, {1, -1, 2}, DType::float32);
  ref::model::set_option(attention.options, "scale", "0.25");
  EXPECT_EQ(of_default(attention, "scale", "none"),
            "the answer is right for scale=None: grad_k, grad_q, grad_v, log_sum_exp, y");
}

TEST(OptionSuggestions, NameTheBaseOfLogSumExp) {
  const Case c = attention_case({1, 2, 0.5}, {3, -1}, {1, 2}, {1, -1, 2}, DType::float32);
  EXPECT_EQ(suggestions_for(certified(c), answer_for_option(c, "log_sum_exp_base", "2"))[0],
            "the answer is right for log_sum_exp_base='2': grad_k, grad_q, grad_v, log_sum_exp, y");
}

// A smaller eps would change much less than the mistake does.
TEST(OptionSuggestions, DoNotNameANumberThatHardlyMatters) {
  const Case c = plain_recipe("rms_norm", {4, 6}, DType::float32).option("eps", "1e-6").make(1);
  const StoredCase stored = certified(c);
  const auto answer = change_output(run_mutation(c, {}), "y", [](double v, std::size_t) {
    return static_cast<double>(static_cast<float>(1.001 * v));
  });
  EXPECT_THAT(suggest_options(stored, answer, check_case(stored, answer, {}), {}), IsEmpty());
}

std::vector<StoredTensor> flushed_answer(const Case& c) {
  mutations::Sites sites;
  return plain::run_plain(c, recipes::inputs_of(c), {.flushed = true}, sites);
}

Case case_of_subnormal_gradients() {
  return plain_recipe("layer_norm", {3, 6}, DType::float32)
      .grad_y([](auto, double normal) { return 1e-40 * normal; })
      .make(1);
}

TEST(OptionSuggestions, NameTheFlushingOfSubnormalNumbers) {
  const Case c = case_of_subnormal_gradients();
  EXPECT_THAT(suggestions_for(certified(c), flushed_answer(c))[0],
              testing::StartsWith("the answer is right for flush_subnormals=True: "));
}

TEST(OptionSuggestions, DoNotNameAFlushingThatIsDeclared) {
  const Case c = case_of_subnormal_gradients();
  const auto answer =
      change_output(flushed_answer(c), "y", [](double v, std::size_t) { return 2 * v; });
  for (const std::string& sentence :
       suggestions_for(certified(c), answer, {.flush_subnormals = true}))
    EXPECT_THAT(sentence, testing::Not(testing::HasSubstr("flush")));
}

/// Returns a case of layer_norm with blocks.
Case case_with_blocks(const char* regime = "mxfp8_random") {
  const std::vector<Case> cases =
      recipes::scaled_cases(corpus::Tier::quick, "layer_norm", recipes::kCorpusSeed);
  return *std::ranges::find(cases, regime, &Case::reason);
}
/// Returns the output of a kernel with this rounding of scales.
std::vector<StoredTensor> answer_with_rounding(const Case& c, corpus::ScaleRounding rounding,
                                               const mutations::Mutation& mutation = {}) {
  mutations::Sites sites(mutation);
  return plain::run_plain(c, recipes::inputs_of(c), {.scale_rounding = rounding}, sites);
}

TEST(OptionSuggestions, NameTheRoundingOfScalesForWhichTheAnswerIsRight) {
  std::set<corpus::ScaleRounding> named;
  for (const char* regime : {"mxfp8_random", "mxfp8_near_power"}) {
    const Case c = case_with_blocks(regime);
    const StoredCase stored = certified(c);
    for (const corpus::ScaleRounding rounding : corpus::kScaleRoundings) {
      const auto answer = answer_with_rounding(c, rounding);
      EXPECT_TRUE(check_case(stored, answer, {.scale_rounding = rounding}).passed());
      if (check_case(stored, answer, {}).passed()) continue;
      const std::vector<std::string> found = suggestions_for(stored, answer);
      ASSERT_EQ(found.size(), 1u);
      EXPECT_THAT(found[0],
                  testing::AllOf(testing::StartsWith("the answer is right for scale_rounding="),
                                 testing::HasSubstr(fmt::format("'{}'", to_string(rounding)))));
      named.insert(rounding);
    }
  }
  EXPECT_EQ(named.size(), std::size(corpus::kScaleRoundings) - 1);
}

TEST(OptionSuggestions, NameTheDefaultRoundingOfScalesIfAnotherIsDeclared) {
  const Case c = case_with_blocks();
  EXPECT_THAT(suggestions_for(certified(c), answer_with_rounding(c, corpus::ScaleRounding::floor),
                              {.scale_rounding = corpus::ScaleRounding::ceil})[0],
              testing::StartsWith("the answer is right for scale_rounding='floor'"));
}

TEST(OptionSuggestions, AMistakeIsNamedUnderTheDeclaredRoundingOfScales) {
  const Case c = case_with_blocks();
  const StoredCase stored = certified(c);
  mutations::Sites all;
  all.list();
  plain::run_plain(c, recipes::inputs_of(c), {}, all);
  const auto half = std::ranges::find_if(all.seen(), [](const mutations::Mutation& mutation) {
    return mutation.op == mutations::MutationOperator::half_block;
  });
  ASSERT_NE(half, all.seen().end());
  const corpus::ScaleRounding up = corpus::ScaleRounding::up;
  for (const std::string& sentence :
       suggestions_for(stored, answer_with_rounding(c, up, *half), {.scale_rounding = up}))
    EXPECT_THAT(sentence, testing::HasSubstr(mutations::mistake_name(*half)));
}

TEST(OptionSuggestions, NameNothingForAWrongAnswer) {
  const Case c = plain_recipe("l2_norm", {4, 6}, DType::float32).make(1);
  const StoredCase stored = certified(c);
  const auto answer =
      change_output(run_mutation(c, {}), "y", [](double v, std::size_t) { return -v; });
  EXPECT_THAT(suggest_options(stored, answer, check_case(stored, answer, {}), {}), IsEmpty());
}

}  // namespace
}  // namespace normproof::verification::golden::gate
