#include "verification/golden/plain/plain_encoders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/gate/check.hpp"
#include "verification/golden/recipes/case_inputs.hpp"
#include "verification/golden/recipes/encoder_corpus.hpp"
#include "verification/golden/recipes/encoder_recipe.hpp"

namespace normproof::verification::golden::plain {

using gate::CaseResult;
using gate::check_case;
using recipes::encoder_cases;
namespace {

Case case_of(const std::string& operation, const std::string& reason) {
  for (Case& c : encoder_cases(Tier::quick, operation, 1))
    if (c.reason == reason) return std::move(c);
  ADD_FAILURE() << operation << " has no case " << reason;
  return {};
}

std::vector<StoredTensor> run_with(const Case& c, const Mutation& mutation = {},
                                   const Style& style = {}) {
  Sites sites(mutation);
  return run_plain_encoder(c, recipes::inputs_of(c), style, sites);
}

TEST(PlainEncoders, EveryStyleReturnsAllOutputsAndPassesTheGate) {
  for (const std::string& operation : ref::model::encoder_operation_names())
    for (const Case& c : encoder_cases(Tier::quick, operation, 1)) {
      const StoredCase stored = certified(c);
      for (const Style& style :
           {Style{}, Style{.sum = Style::Sum::backwards}, Style{.divide = true},
            Style{.sum = Style::Sum::pairwise, .welford = true, .powers = true}}) {
        const CaseResult result = check_case(stored, run_with(c, {}, style), {});
        EXPECT_TRUE(result.passed()) << case_folder(c);
        EXPECT_EQ(result.tensors.size(), stored.description.outputs.size()) << case_folder(c);
      }
    }
}

TEST(PlainEncoders, MutationChangesOnlyTheOutputsThatDependOnIt) {
  const Case c = case_of("encoder_layer", "post_layer_norm");
  const auto right = run_with(c);
  const auto backward = run_with(c, {"1/sqrt(d_k) in the backward", MutationOperator::drop});
  EXPECT_EQ(find_tensor_values(right, "y"), find_tensor_values(backward, "y"));
  EXPECT_NE(find_tensor_values(right, "grad_x"), find_tensor_values(backward, "grad_x"));
  const auto eps = run_with(c, {"norm: eps", MutationOperator::ten_times});
  EXPECT_NE(find_tensor_values(right, "y"), find_tensor_values(eps, "y"));
  EXPECT_EQ(find_tensor_values(right, "attention.weights"),
            find_tensor_values(eps, "attention.weights"));
}

TEST(PlainEncoders, TheWorkGrowsWithTheSquareOfTheTokensAndNotFaster) {
  const auto work = [](std::size_t tokens) {
    const Case c =
        recipes::encoder_case(Tier::quick, "encoder_layer",
                              {.reason = "long", .why = "a test's own", .tokens = tokens}, 1);
    constexpr std::uint64_t kPlenty = 1'000'000'000;
    std::uint64_t left = kPlenty;
    Sites sites;
    sites.limit(left);
    run_plain_encoder(c, recipes::inputs_of(c), {}, sites);
    return kPlenty - left;
  };
  EXPECT_LT(work(256), 5 * work(128));
}

TEST(PlainEncoders, PaddingGetsAttentionWeightOnlyIfMutated) {
  const Case c = case_of("encoder_layer", "post_layer_norm");
  const auto valid = find_tensor_values(c.inputs, "valid");
  const std::size_t tokens = 3, of_second = 2 * tokens * tokens;
  ASSERT_EQ(valid[2 * tokens - 1], 0);
  EXPECT_EQ(find_tensor_values(run_with(c), "attention.weights")[of_second + tokens - 1], 0);
  EXPECT_GT(find_tensor_values(run_with(c, {"mask of the keys", MutationOperator::ignore_mask}),
                               "attention.weights")[of_second + tokens - 1],
            0);
}

TEST(PlainEncoders, EachMutationShiftsTheCausalMaskAsItsNameStates) {
  const Case c = case_of("encoder_layer", "causal_post");
  constexpr std::size_t kTokens = 4;
  /// Returns, for each query of the first sentence, the keys that get an attention weight. This
  /// sentence has no padding.
  const auto seen = [&](const Mutation& mutation) {
    const auto weights = find_tensor_values(run_with(c, mutation), "attention.weights");
    std::vector<std::string> rows(kTokens);
    for (std::size_t i = 0; i < kTokens; ++i)
      for (std::size_t j = 0; j < kTokens; ++j)
        rows[i] += weights[i * kTokens + j] == 0 ? '.' : 'x';
    return rows;
  };
  using enum MutationOperator;
  using Rows = std::vector<std::string>;
  EXPECT_EQ(seen({}), (Rows{"x...", "xx..", "xxx.", "xxxx"}));
  EXPECT_EQ(seen({"causal mask", drop}), (Rows{"xxxx", "xxxx", "xxxx", "xxxx"}));
  EXPECT_EQ(seen({"causal mask", one_more}), (Rows{"xx..", "xxx.", "xxxx", "xxxx"}));
  EXPECT_EQ(seen({"causal mask", one_less}), (Rows{"....", "x...", "xx..", "xxx."}));
  EXPECT_EQ(seen({"causal mask", transposed}), (Rows{"xxxx", ".xxx", "..xx", "...x"}));
}

/// Returns which of the tensors `names` of a decoder layer the mutation changes.
std::vector<std::string> changed_decoder_outputs(const Case& c, const Mutation& mutation,
                                                 const std::vector<std::string>& names) {
  const auto right = run_with(c), wrong = run_with(c, mutation);
  std::vector<std::string> moved;
  for (const std::string& name : names)
    if (find_tensor_values(right, name) != find_tensor_values(wrong, name)) moved.push_back(name);
  return moved;
}

TEST(PlainEncoders, EachAttentionOfADecoderHasSeparateMutations) {
  const Case c = case_of("decoder_layer", "post_layer_norm");
  const std::vector<std::string> names = {"self_attention.weights", "cross_attention.weights", "y",
                                          "grad_memory", "grad_x"};
  const std::vector<std::string> names_except_self_attention(names.begin() + 1, names.end());
  using enum MutationOperator;
  EXPECT_EQ(changed_decoder_outputs(c, {"causal mask", drop}, names), names);
  EXPECT_EQ(changed_decoder_outputs(c, {"cross_attention: causal mask", insert}, names),
            names_except_self_attention);
  EXPECT_EQ(changed_decoder_outputs(c, {"cross_attention: mask of the keys", ignore_mask}, names),
            names_except_self_attention);
  EXPECT_EQ(
      changed_decoder_outputs(c, {"cross_attention: side of the mask of the keys", other}, names),
      names_except_self_attention);
  EXPECT_EQ(changed_decoder_outputs(c, {"cross_attention: memory", other}, names),
            names_except_self_attention);
  EXPECT_EQ(changed_decoder_outputs(c, {"cross_attention: sentence of the memory", other}, names),
            names_except_self_attention);
  EXPECT_EQ(changed_decoder_outputs(c, {"cross_attention: keys and values", other}, names),
            names_except_self_attention);
  EXPECT_EQ(changed_decoder_outputs(c, {"cross_attention: 1/sqrt(d_k), forward and backward", drop},
                                    names),
            names_except_self_attention);
  EXPECT_EQ(changed_decoder_outputs(c, {"norm2 and norm3", other}, names),
            (std::vector<std::string>{"y", "grad_memory", "grad_x"}));
  EXPECT_EQ(changed_decoder_outputs(c, {"residual of cross-attention", drop}, names),
            (std::vector<std::string>{"y", "grad_memory", "grad_x"}));
  for (const char* site :
       {"cross_attention: keys in grad_memory", "cross_attention: values in grad_memory"})
    EXPECT_EQ(changed_decoder_outputs(c, {site, drop}, names),
              (std::vector<std::string>{"grad_memory"}))
        << site;
}

TEST(PlainEncoders, MutationsOfBackwardDropoutChangeOnlyGradients) {
  const Case c = case_of("encoder_layer", "dropout_pre");
  const auto right = run_with(c);
  for (const char* place :
       {"attention.weights", "attention.y", "feed_forward.active", "feed_forward.y"}) {
    const std::string of = std::string("dropout of ") + place;
    const auto backward = run_with(c, {of + ", backward", MutationOperator::drop});
    EXPECT_EQ(find_tensor_values(right, "y"), find_tensor_values(backward, "y")) << place;
    EXPECT_NE(find_tensor_values(right, "grad_x"), find_tensor_values(backward, "grad_x")) << place;
    EXPECT_NE(find_tensor_values(right, "y"),
              find_tensor_values(run_with(c, {of, MutationOperator::drop}), "y"));
  }
  EXPECT_EQ(
      find_tensor_values(right, "attention.weights"),
      find_tensor_values(run_with(c, {"dropout of attention.weights", MutationOperator::drop}),
                         "attention.weights"));
}

TEST(PlainEncoders, DropoutOfRateZeroOffersNoMutations) {
  Sites sites;
  sites.list();
  run_plain_encoder(case_of("encoder_layer", "post_layer_norm"),
                    recipes::inputs_of(case_of("encoder_layer", "post_layer_norm")), {}, sites);
  for (const Mutation& mutation : sites.seen())
    EXPECT_EQ(mutation.site.find("dropout"), std::string::npos) << mutation.site;
}

TEST(PlainEncoders, LossIsDividedByTheSumOfTheWeights) {
  const Case c = case_of("encoder", "post_layer_norm");
  const double whole = find_tensor_values(
      run_with(c, {"divisor of the weighted mean loss", MutationOperator::drop}), "loss")[0];
  const double by_count = find_tensor_values(
      run_with(c, {"divisor of the weighted mean loss", MutationOperator::other}), "loss")[0];
  EXPECT_EQ(by_count, whole / 2);  // there are two sentences
  EXPECT_NE(find_tensor_values(run_with(c), "loss")[0], by_count);
}

TEST(PlainEncoders, NormsOfferOnlyMutationsThatChangeAnOutput) {
  Sites sites;
  sites.list();
  run_plain_encoder(case_of("encoder_layer", "post_power_norm"),
                    recipes::inputs_of(case_of("encoder_layer", "post_power_norm")), {}, sites);
  bool of_norm = false;
  for (const Mutation& mutation : sites.seen()) {
    EXPECT_EQ(mutation.site.find("returned"), std::string::npos) << mutation.site;
    of_norm |= mutation.site == "norm: nu in grad_x";
  }
  EXPECT_TRUE(of_norm);
}

}  // namespace
}  // namespace normproof::verification::golden::plain
