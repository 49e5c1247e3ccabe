#include "verification/golden/plain/plain_attention.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/verification/golden/attention_case.hpp"
#include "verification/golden/recipes/attention_corpus.hpp"

namespace normproof::verification::golden::plain {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using Op = MutationOperator;

std::vector<StoredTensor> run_attention(const Case& c, const Mutation& mutation = {},
                                        const Style& style = {}) {
  Sites sites(mutation);
  return run_plain_attention(c, inputs_of(c), style, sites);
}
std::vector<double> run_and_get(const Case& c, const char* name, const Mutation& mutation = {}) {
  return find_tensor_values(run_attention(c, mutation), name);
}

TEST(PlainAttention, EveryStyleAgreesWithTheReference) {
  for (const Case& c : recipes::attention_cases(Tier::quick, 7)) {
    if (c.dtype != DType::float64 || c.reason == "offset_minus_1e5") continue;
    const auto expected = certify::certify(c).tensors;
    for (const Style& style : {Style{}, Style{.sum = Style::Sum::backwards}, Style{.welford = true},
                               Style{.divide = true}, Style{.powers = true}, Style{.from_y = true}})
      for (const StoredTensor& tensor : run_attention(c, {}, style)) {
        const auto got = ref::io::widen(tensor), wanted = find_tensor_values(expected, tensor.name);
        ASSERT_EQ(got.size(), wanted.size()) << case_folder(c) << " " << tensor.name;
        for (std::size_t i = 0; i < got.size(); ++i)
          EXPECT_NEAR(got[i], wanted[i], 0x1p-36 * (1 + std::fabs(wanted[i])))
              << case_folder(c) << " " << tensor.name;
      }
  }
}

// Returns a case with two keys whose queries are 0, so that both attention weights are 1/2.
Case case_with_two_keys() {
  return attention_case({0, 0}, {1, 2}, {4, 8}, {1, 0});
}

TEST(PlainAttention, MutationsOfASumChangeTheOutput) {
  EXPECT_THAT(run_and_get(case_with_two_keys(), "y"), ElementsAre(6, 6));
  EXPECT_THAT(run_and_get(case_with_two_keys(), "grad_v"), ElementsAre(0.5, 0.5));
  EXPECT_THAT(run_and_get(case_with_two_keys(), "log_sum_exp"),
              ElementsAre(DoubleEq(std::log(2)), DoubleEq(std::log(2))));
  EXPECT_THAT(run_and_get(case_with_two_keys(), "y", {"division by the sum", Op::drop}),
              ElementsAre(12, 12));
  EXPECT_THAT(run_and_get(case_with_two_keys(), "y", {"keys and values", Op::other}),
              ElementsAre(1.5, 1.5));
  EXPECT_THAT(run_and_get(case_with_two_keys(), "log_sum_exp", {"logarithm of the sum", Op::other}),
              ElementsAre(DoubleEq(1), DoubleEq(1)));
  EXPECT_THAT(run_and_get(case_with_two_keys(), "grad_q", {}), ElementsAre(1, 0));
  EXPECT_THAT(run_and_get(case_with_two_keys(), "grad_q", {"mean of the gradients", Op::drop}),
              ElementsAre(10, 0));
}

TEST(PlainAttention, MutationsOfTheCausalMaskChangeTheOutput) {
  Case c = case_with_two_keys();
  ref::model::set_option(c.options, "causal", "true");
  const auto y = [&](Op op) { return run_and_get(c, "y", {"causal mask", op}); };
  EXPECT_THAT(y(Op::none), ElementsAre(4, 6));
  EXPECT_THAT(y(Op::drop), ElementsAre(6, 6));
  EXPECT_THAT(y(Op::one_more), ElementsAre(6, 6));
  EXPECT_THAT(y(Op::one_less), ElementsAre(0, 4));
  EXPECT_THAT(y(Op::transposed), ElementsAre(6, 8));
  // There are two queries and three keys. The last query attends to all keys. The mutation aligns
  // the first query with the first key, so that the last query attends to two keys.
  Case longer = attention_case({0, 0}, {1, 2, 3}, {3, 6, 9}, {1, 0});
  ref::model::set_option(longer.options, "causal", "true");
  EXPECT_THAT(run_and_get(longer, "y"), ElementsAre(4.5, 6));
  EXPECT_THAT(run_and_get(longer, "y", {"causal mask", Op::other}), ElementsAre(3, 4.5));
}

// The two scores are 0 and 4, and the cap is 2.
TEST(PlainAttention, MutationsOfTheSoftCapChangeTheOutput) {
  Case c = attention_case({2, 2}, {0, 2}, {0, 1}, {1, 0});
  ref::model::set_option(c.options, "soft_cap", "2");
  const auto weight = [](double score) { return 1 / (1 + std::exp(-score)); };
  const auto y = [&](Op op) { return run_and_get(c, "y", {"soft cap", op})[0]; };
  EXPECT_THAT(y(Op::none), DoubleEq(weight(2 * std::tanh(2))));
  EXPECT_THAT(y(Op::drop), DoubleEq(weight(4)));
  EXPECT_THAT(y(Op::inverted), DoubleEq(weight(2 * std::tanh(8))));
  EXPECT_THAT(y(Op::zeroed), DoubleEq(weight(std::tanh(2))));
  ref::model::set_option(c.options, "scale", "0.5");
  EXPECT_THAT(y(Op::none), DoubleEq(weight(2 * std::tanh(1))));
  EXPECT_THAT(y(Op::twice), DoubleEq(weight(2 * std::tanh(0.5))));
  EXPECT_THAT(y(Op::other), DoubleEq(weight(std::tanh(2))));
  ref::model::set_option(c.options, "causal", "true");
  EXPECT_THAT(run_and_get(c, "y")[0], DoubleEq(0));
  EXPECT_THAT(run_and_get(c, "y", {"soft cap and mask", Op::reversed})[0], DoubleEq(weight(-2)));
}

TEST(PlainAttention, MutationsOfTheBackwardOfTheSoftCapChangeTheGradient) {
  Case c = attention_case({2, 2}, {0, 2}, {0, 1}, {1, 0});
  ref::model::set_option(c.options, "soft_cap", "2");
  const auto grad_q = [&](Op op) {
    return run_and_get(c, "grad_q", {"soft cap in the backward", op})[0];
  };
  const double slope = 1 - std::tanh(2) * std::tanh(2);
  EXPECT_THAT(grad_q(Op::none), ::testing::DoubleNear(grad_q(Op::drop) * slope, 1e-15));
  EXPECT_THAT(grad_q(Op::square), ::testing::DoubleNear(grad_q(Op::none) * slope, 1e-15));
  EXPECT_LT(grad_q(Op::other), 0);
}

// The scores of the first query are 0, and those of the second query too. With the bias, the
// weights are 1/3 and 2/3, or 3/4 and 1/4.
Case case_with_bias() {
  Case c = case_with_two_keys();
  c.inputs.push_back(
      make_stored_tensor("bias", DType::float64, {1, 1, 2, 2}, {0, std::log(2), std::log(3), 0}));
  return c;
}

TEST(PlainAttention, MutationsOfTheBiasChangeTheOutput) {
  Case c = case_with_bias();
  const auto y = [&](const char* site, Op op) { return run_and_get(c, "y", {site, op}); };
  EXPECT_THAT(y("", Op::none), ElementsAre(DoubleEq(20 / 3.0), DoubleEq(5)));
  EXPECT_THAT(y("bias of the scores", Op::drop), ElementsAre(DoubleEq(6), DoubleEq(6)));
  EXPECT_THAT(y("bias of the scores", Op::negate), ElementsAre(DoubleEq(16 / 3.0), DoubleEq(7)));
  EXPECT_THAT(y("bias of the scores", Op::twice), ElementsAre(DoubleEq(7.2), DoubleEq(4.4)));
  EXPECT_THAT(y("query of the bias", Op::other),
              ElementsAre(DoubleEq(20 / 3.0), DoubleEq(20 / 3.0)));
  EXPECT_THAT(y("queries and keys of the bias", Op::transposed),
              ElementsAre(DoubleEq(7), DoubleEq(16 / 3.0)));
  ref::model::set_option(c.options, "scale", "2");
  EXPECT_THAT(y("bias of the scores", Op::square), ElementsAre(DoubleEq(7.2), DoubleEq(4.4)));
}

TEST(PlainAttention, MutationsOfGradBiasChangeIt) {
  const Case c = case_with_bias();
  const auto gradient = [&](const char* site, Op op) {
    return run_and_get(c, "grad_bias", {site, op})[0];
  };
  EXPECT_THAT(gradient("", Op::none), DoubleEq((4 - 20 / 3.0) / 3));
  EXPECT_THAT(gradient("grad_bias", Op::negate), DoubleEq(-(4 - 20 / 3.0) / 3));
}

TEST(PlainAttention, MinusInfinityInTheBiasHidesItsKey) {
  Case c = case_with_bias();
  c.inputs.back() = make_stored_tensor("bias", DType::float64, {1, 1, 2, 2},
                                       {-INFINITY, 0, -INFINITY, -INFINITY});
  EXPECT_THAT(run_and_get(c, "y"), ElementsAre(8, 0));
  EXPECT_THAT(run_and_get(c, "y", {"a query that sees no key", Op::other}), ElementsAre(8, 6));
  EXPECT_EQ(find(run_attention(c), "log_sum_exp"), nullptr);
}

TEST(PlainAttention, MutationsOfTheAxesOfTheBiasChangeTheOutput) {
  for (const Case& c : recipes::attention_cases(Tier::quick, 7)) {
    if (c.dtype != DType::float64 && c.reason != "bias_shared" && c.reason != "bias_soft_cap")
      continue;
    const auto differs = [&](const char* output, const char* site, Op op) {
      return run_and_get(c, output, {site, op}) != run_and_get(c, output);
    };
    if (c.reason == "bias") {
      EXPECT_TRUE(differs("y", "sample of the bias", Op::other));
      EXPECT_TRUE(differs("y", "first head of the bias", Op::other));
      EXPECT_TRUE(differs("y", "head of the bias", Op::other));
    }
    if (c.reason == "bias_shared") {
      EXPECT_TRUE(differs("grad_bias", "samples in grad_bias", Op::other));
      EXPECT_TRUE(differs("grad_bias", "heads in grad_bias", Op::other));
    }
    if (c.reason == "bias_soft_cap") {
      EXPECT_TRUE(differs("y", "soft cap and bias", Op::reversed));
      EXPECT_TRUE(differs("grad_bias", "soft cap in grad_bias", Op::insert));
    }
  }
}

/// Returns a case with two keys of weight 1/4 and a sink of weight 1/2.
Case case_with_sink() {
  Case c = case_with_two_keys();
  c.inputs.push_back(make_stored_tensor("sinks", DType::float64, {1}, {std::log(2)}));
  return c;
}

TEST(PlainAttention, MutationsOfTheSinkChangeTheOutput) {
  Case c = case_with_sink();
  const auto y = [&](const char* site, Op op) { return run_and_get(c, "y", {site, op})[0]; };
  const auto log_sum_exp = [&](const char* site, Op op) {
    return run_and_get(c, "log_sum_exp", {site, op})[0];
  };
  EXPECT_THAT(y("sink", Op::none), DoubleEq(3));
  EXPECT_THAT(log_sum_exp("sink", Op::none), DoubleEq(std::log(4)));
  EXPECT_THAT(y("sink", Op::drop), DoubleEq(6));
  EXPECT_THAT(y("sink in the sum", Op::drop), DoubleEq(6));
  EXPECT_THAT(y("sink in the sum", Op::twice), DoubleEq(2));
  EXPECT_THAT(y("sink in the largest score", Op::drop), DoubleEq(3));
  EXPECT_THAT(y("largest score, subtracted from the sink", Op::drop), DoubleEq(2));
  EXPECT_THAT(y("largest score, subtracted from the sink", Op::twice), DoubleEq(4));
  EXPECT_THAT(y("base of the sink", Op::drop), DoubleEq(12 / (2 + std::pow(2, std::log(2)))));
  EXPECT_THAT(y("base of the sink", Op::square), DoubleEq(12 / (2 + std::exp(1))));
  EXPECT_THAT(log_sum_exp("sink in log_sum_exp", Op::drop), DoubleEq(std::log(2)));
  ref::model::set_option(c.options, "scale", "0.5");
  EXPECT_THAT(y("scale of the sink", Op::insert), DoubleEq(12 / (2 + std::sqrt(2))));
  ref::model::set_option(c.options, "soft_cap", "0.5");
  EXPECT_THAT(y("soft cap of the sink", Op::insert),
              DoubleEq(12 / (2 + std::exp(0.5 * std::tanh(2 * std::log(2))))));
}

TEST(PlainAttention, LargeSinkOverflowsIfTheLargestScoreLeavesItOut) {
  Case c = case_with_sink();
  c.inputs.back() = make_stored_tensor("sinks", DType::float64, {1}, {1000});
  EXPECT_THAT(run_and_get(c, "log_sum_exp"), ElementsAre(1000, 1000));
  EXPECT_THAT(run_and_get(c, "log_sum_exp", {"sink in the largest score", Op::drop}),
              ElementsAre(INFINITY, INFINITY));
}

TEST(PlainAttention, QueryThatSeesNoKeyHasItsSink) {
  Case c = case_with_sink();
  c.inputs.push_back(make_stored_tensor("valid", DType::boolean, {1, 2}, {0, 0}));
  EXPECT_THAT(run_and_get(c, "y"), ElementsAre(0, 0));
  EXPECT_THAT(run_and_get(c, "log_sum_exp"), ElementsAre(std::log(2), std::log(2)));
  EXPECT_THAT(run_and_get(c, "log_sum_exp", {"sink of a query that sees no key", Op::drop}),
              ElementsAre(-INFINITY, -INFINITY));
  EXPECT_THAT(run_and_get(c, "grad_sinks"), ElementsAre(0));
}

// The mean of the gradients of the first query is 3, and that of the second query is 0.
TEST(PlainAttention, MutationsOfGradSinksChangeIt) {
  const Case c = case_with_sink();
  const auto grad_sinks = [&](const char* site, Op op) {
    return run_and_get(c, "grad_sinks", {site, op})[0];
  };
  EXPECT_THAT(grad_sinks("sink", Op::none), DoubleEq(-1.5));
  EXPECT_THAT(grad_sinks("sink", Op::drop), DoubleEq(0));
  EXPECT_THAT(grad_sinks("weight of the sink in grad_sinks", Op::negate), DoubleEq(1.5));
  EXPECT_THAT(grad_sinks("weight of the sink in grad_sinks", Op::drop), DoubleEq(-3));
  EXPECT_THAT(grad_sinks("sink in the backward", Op::drop), DoubleEq(-3));
}

TEST(PlainAttention, MutationsOfTheHeadsOfSinksChangeTheOutput) {
  for (const Case& c : recipes::attention_cases(Tier::quick, 7)) {
    if (c.reason != "sinks" || c.dtype != DType::float64) continue;
    const auto right = run_and_get(c, "y");
    EXPECT_NE(run_and_get(c, "y", {"head of the sink", Op::other}), right);
    EXPECT_NE(run_and_get(c, "y", {"heads of the sinks", Op::rotated}), right);
    EXPECT_NE(run_and_get(c, "y", {"heads of the sinks", Op::transposed}), right);
    const auto gradient = run_and_get(c, "grad_sinks");
    EXPECT_NE(run_and_get(c, "grad_sinks", {"samples in grad_sinks", Op::drop}), gradient);
    EXPECT_NE(run_and_get(c, "grad_sinks", {"head of grad_sinks", Op::other}), gradient);
  }
}

TEST(PlainAttention, MutationsOfTheBaseChangeLogSumExp) {
  Case c = attention_case({1, 1}, {3, 3}, {4, 8}, {1, 0});
  ref::model::set_option(c.options, "log_sum_exp_base", "2");
  const auto log_sum_exp = [&](const char* site, Op op) {
    return run_and_get(c, "log_sum_exp", {site, op})[0];
  };
  const double in_base_e = 3 + std::log(2);
  EXPECT_THAT(log_sum_exp("", Op::none), DoubleEq(in_base_e / std::log(2)));
  EXPECT_THAT(log_sum_exp("base of log_sum_exp", Op::drop), DoubleEq(in_base_e));
  EXPECT_THAT(log_sum_exp("base of the largest score, added back", Op::other), DoubleEq(4));
}

TEST(PlainAttention, MutationsOfTheKeyMaskChangeTheOutput) {
  Case c = case_with_two_keys();
  c.inputs.push_back(make_stored_tensor("valid", DType::boolean, {1, 2}, {1, 0}));
  EXPECT_THAT(run_and_get(c, "y"), ElementsAre(4, 4));
  EXPECT_THAT(run_and_get(c, "y", {"mask of the keys", Op::invert_mask}), ElementsAre(8, 8));
  EXPECT_THAT(run_and_get(c, "y", {"length of a sample", Op::one_more}), ElementsAre(6, 6));
  EXPECT_THAT(run_and_get(c, "y", {"length of a sample", Op::one_less}), ElementsAre(0, 0));
  EXPECT_THAT(run_and_get(c, "y", {"scores of hidden keys", Op::zeroed}), ElementsAre(2, 2));
  c.inputs.back() = make_stored_tensor("valid", DType::boolean, {1, 2}, {0, 0});
  EXPECT_THAT(run_and_get(c, "y"), ElementsAre(0, 0));
  EXPECT_THAT(run_and_get(c, "y", {"a query that sees no key", Op::other}), ElementsAre(6, 6));
  EXPECT_EQ(find(run_attention(c), "log_sum_exp"), nullptr);
}

TEST(PlainAttention, MutationsOfGroupedQueriesChangeTheOutput) {
  for (const Case& c : recipes::attention_cases(Tier::quick, 7)) {
    if (c.reason != "grouped" || c.dtype != DType::float64) continue;
    EXPECT_NE(run_and_get(c, "y", {"head of the keys", Op::other}), run_and_get(c, "y"));
    const auto whole = run_and_get(c, "grad_v");
    const auto of = [&](Op op) {
      return run_and_get(c, "grad_v", {"heads of a group in grad_k and grad_v", op});
    };
    EXPECT_NE(of(Op::forget_first), whole);
    EXPECT_NE(of(Op::forget_last), whole);
    EXPECT_NE(of(Op::forget_last), of(Op::forget_first));
  }
}

}  // namespace
}  // namespace normproof::verification::golden::plain
