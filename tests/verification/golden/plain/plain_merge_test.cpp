#include "verification/golden/plain/plain_merge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/recipes/merge_corpus.hpp"

namespace normproof::verification::golden::plain {
namespace {

using ::testing::DoubleEq;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using Op = MutationOperator;

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

std::vector<StoredTensor> run_merge(const Case& c, const Mutation& mutation = {},
                                    const Style& style = {}) {
  Sites sites(mutation);
  return run_plain_merge(c, inputs_of(c), style, sites);
}
std::vector<double> merge_and_get(const Case& c, const char* name, const Mutation& mutation = {}) {
  return find_tensor_values(run_merge(c, mutation), name);
}

/// Returns a case with one query and one feature for each split.
Case merge_case(const std::vector<double>& o, const std::vector<double>& logs,
                const char* base = "e") {
  Case c;
  c.reason = "sample";
  c.why = "a test's own";
  c.options = ref::model::operation("merge_attention_states");
  ref::model::set_option(c.options, "log_sum_exp_base", base);
  c.inputs.push_back(make_stored_tensor("grad_y", DType::float64, {1, 1, 1, 1}, {2}));
  c.inputs.push_back(
      make_stored_tensor("log_sum_exp", DType::float64, {logs.size(), 1, 1, 1}, logs));
  c.inputs.push_back(make_stored_tensor("o", DType::float64, {o.size(), 1, 1, 1, 1}, o));
  return c;
}

TEST(PlainMerge, EveryStyleAgreesWithTheReference) {
  for (const Case& c : recipes::merge_cases(Tier::quick, 7)) {
    if (c.dtype != DType::float64) continue;
    const auto expected = certify::certify(c).tensors;
    for (const Style& style : {Style{}, Style{.sum = Style::Sum::backwards}, Style{.welford = true},
                               Style{.divide = true}, Style{.powers = true}, Style{.from_y = true}})
      for (const StoredTensor& tensor : run_merge(c, {}, style)) {
        const auto got = ref::io::widen(tensor), wanted = find_tensor_values(expected, tensor.name);
        ASSERT_EQ(got.size(), wanted.size()) << case_folder(c) << " " << tensor.name;
        for (std::size_t i = 0; i < got.size(); ++i)
          EXPECT_THAT(got[i], ::testing::NanSensitiveDoubleNear(
                                  wanted[i], 0x1p-40 * (1 + std::fabs(wanted[i]))))
              << case_folder(c) << " " << tensor.name;
      }
  }
}

TEST(PlainMerge, MistakesChangeTheWeights) {
  const Case c = merge_case({1, 3}, {std::log(3.0), 0});
  EXPECT_THAT(merge_and_get(c, "y"), ElementsAre(DoubleEq(1.5)));
  EXPECT_THAT(merge_and_get(c, "log_sum_exp"), ElementsAre(DoubleEq(std::log(4))));
  EXPECT_THAT(merge_and_get(c, "grad_o"), ElementsAre(DoubleEq(1.5), DoubleEq(0.5)));
  EXPECT_THAT(merge_and_get(c, "grad_log_sum_exp"),
              ElementsAre(DoubleNear(-0.75, 1e-15), DoubleNear(0.75, 1e-15)));
  EXPECT_THAT(merge_and_get(c, "y", {"weights of the splits", Op::other}), ElementsAre(2));
  EXPECT_THAT(merge_and_get(c, "y", {"weights of the splits", Op::reversed}),
              ElementsAre(DoubleEq(2.5)));
  EXPECT_THAT(merge_and_get(c, "y", {"splits that are read", Op::drop}), ElementsAre(1));
  EXPECT_THAT(merge_and_get(c, "log_sum_exp", {"log_sum_exp", Op::drop}),
              ElementsAre(DoubleEq(std::log(3))));
  EXPECT_THAT(merge_and_get(c, "log_sum_exp", {"log_sum_exp", Op::insert}),
              ElementsAre(DoubleEq(std::log(3))));
  EXPECT_THAT(merge_and_get(c, "grad_o", {"weight in grad_o", Op::drop}), ElementsAre(2, 2));
  EXPECT_THAT(
      merge_and_get(c, "grad_log_sum_exp", {"base in grad_log_sum_exp", Op::insert}),
      ElementsAre(DoubleNear(-0.75 * std::log(2), 1e-15), DoubleNear(0.75 * std::log(2), 1e-15)));
}

TEST(PlainMerge, MistakesOfTheBaseChangeWeightsAndLogarithms) {
  const Case c = merge_case({1, 3}, {1, 0}, "2");
  EXPECT_THAT(merge_and_get(c, "y"), ElementsAre(DoubleEq(5.0 / 3)));
  EXPECT_THAT(merge_and_get(c, "log_sum_exp"), ElementsAre(DoubleEq(std::log2(3))));
  EXPECT_THAT(merge_and_get(c, "y", {"base of the weights", Op::drop}),
              ElementsAre(DoubleNear((std::exp(1) + 3) / (std::exp(1) + 1), 1e-14)));
  EXPECT_THAT(merge_and_get(c, "log_sum_exp", {"base of the merged log_sum_exp", Op::drop}),
              ElementsAre(DoubleNear(1 + std::log(1.5), 1e-15)));
}

TEST(PlainMerge, MistakesOfEmptySplits) {
  const Case c = merge_case({1, std::nan("")}, {0, kMinusInfinity});
  EXPECT_THAT(merge_and_get(c, "y"), ElementsAre(1));
  EXPECT_TRUE(std::isnan(merge_and_get(c, "y", {"o of an empty split", Op::insert})[0]));
  EXPECT_TRUE(std::isnan(merge_and_get(c, "y", {"empty split", Op::ignore_mask})[0]));
  const Case none = merge_case({1, 2}, {kMinusInfinity, kMinusInfinity});
  EXPECT_THAT(merge_and_get(none, "y"), ElementsAre(0));
  EXPECT_THAT(merge_and_get(none, "log_sum_exp"), ElementsAre(kMinusInfinity));
  EXPECT_TRUE(std::isnan(merge_and_get(none, "y", {"query without a split", Op::insert})[0]));
  EXPECT_THAT(
      merge_and_get(none, "log_sum_exp", {"log_sum_exp of a query without a split", Op::negate}),
      ElementsAre(-kMinusInfinity));
  EXPECT_THAT(
      merge_and_get(none, "log_sum_exp", {"log_sum_exp of a query without a split", Op::drop}),
      ElementsAre(0));
}

TEST(PlainMerge, ALargestLogarithmThatIsNotSubtractedOverflows) {
  const Case c = merge_case({1, 3}, {1e4, 1e4});
  EXPECT_THAT(merge_and_get(c, "y"), ElementsAre(2));
  EXPECT_TRUE(std::isnan(merge_and_get(c, "y", {"largest logarithm", Op::drop})[0]));
}

}  // namespace
}  // namespace normproof::verification::golden::plain
