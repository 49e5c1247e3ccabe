#include "verification/golden/gate/option_suggestions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/golden/attention_case.hpp"
#include "tests/verification/golden/gate/wrong_kernel.hpp"
#include "verification/golden/gate/diagnose.hpp"

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

TEST(OptionSuggestions, NameNothingForAWrongAnswer) {
  const Case c = plain_recipe("l2_norm", {4, 6}, DType::float32).make(1);
  const StoredCase stored = certified(c);
  const auto answer =
      change_output(run_mutation(c, {}), "y", [](double v, std::size_t) { return -v; });
  EXPECT_THAT(suggest_options(stored, answer, check_case(stored, answer, {}), {}), IsEmpty());
}

}  // namespace
}  // namespace normproof::verification::golden::gate
