#include "verification/golden/tolerance/merge_allowances.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/gate/check.hpp"
#include "verification/golden/plain/plain_merge.hpp"
#include "verification/golden/recipes/merge_corpus.hpp"

namespace normproof::verification::golden::tolerance {
namespace {

using ref::tensor::NamedTensors;

Case merge_sample(const std::vector<double>& o, const std::vector<double>& logs,
                  const char* base = "e") {
  Case c;
  c.reason = "sample";
  c.why = "a test's own";
  c.dtype = DType::float32;
  c.options = ref::model::operation("merge_attention_states");
  ref::model::set_option(c.options, "log_sum_exp_base", base);
  c.inputs.push_back(make_stored_tensor("grad_y", c.dtype, {1, 1, 1, 1}, {1}));
  c.inputs.push_back(make_stored_tensor("log_sum_exp", c.dtype, {logs.size(), 1, 1, 1}, logs));
  c.inputs.push_back(make_stored_tensor("o", c.dtype, {o.size(), 1, 1, 1, 1}, o));
  return c;
}

NamedTensors<double> measure_merge_allowance(const Case& c) {
  NamedTensors<double> bound;
  for (const auto& [name, of] : {std::pair("y", "grad_y"), std::pair("grad_o", "o"),
                                 std::pair("grad_log_sum_exp", "log_sum_exp")})
    bound.set(name, ref::tensor::full_tensor<double>(find(c.inputs, of)->shape, 0));
  bound.set("log_sum_exp", ref::tensor::full_tensor<double>({1, 1, 1}, 0));
  add_merge_allowances(c, inputs_of(c).function, Accumulation::float32, bound);
  return bound;
}

// The logarithms are 10 and 10, so that both weights are 1/2 and the exponent is off by 4 u 2 11.
TEST(MergeAllowances, GrowWithTheSizeOfTheLogarithms) {
  constexpr double u = 0x1p-24;
  const auto added = measure_merge_allowance(merge_sample({3, 5}, {10, 10}));
  const double exponent = 4 * u * 2 * 11;
  EXPECT_NEAR(added.at("y").data()[0], exponent * 4, exponent * 1e-3);
  EXPECT_NEAR(added.at("grad_o").data()[0], exponent / 2, exponent * 1e-3);
  EXPECT_NEAR(added.at("log_sum_exp").data()[0], exponent, exponent * 1e-3);
  EXPECT_GT(added.at("grad_log_sum_exp").data()[0], exponent / 2);
  const auto of_larger = measure_merge_allowance(merge_sample({3, 5}, {1000, 1000}));
  EXPECT_NEAR(of_larger.at("y").data()[0] / added.at("y").data()[0], 91, 0.1);
}

TEST(MergeAllowances, ConvertTheBase) {
  const auto natural = measure_merge_allowance(merge_sample({3, 5}, {1000, 1000}));
  const auto powers = measure_merge_allowance(merge_sample({3, 5}, {1000, 1000}, "2"));
  EXPECT_NEAR(powers.at("y").data()[0] / natural.at("y").data()[0], std::log(2), 1e-3);
  EXPECT_NEAR(powers.at("log_sum_exp").data()[0] / natural.at("log_sum_exp").data()[0], 1, 1e-3);
}

TEST(MergeAllowances, AddNothingForEmptySplits) {
  constexpr double kEmpty = -std::numeric_limits<double>::infinity();
  const auto added = measure_merge_allowance(merge_sample({3, 5}, {kEmpty, 2}));
  EXPECT_EQ(added.at("grad_o").data()[0], 0);
  EXPECT_EQ(added.at("grad_log_sum_exp").data()[0], 0);
  EXPECT_GT(added.at("y").data()[0], 0);
  const auto none = measure_merge_allowance(merge_sample({3, 5}, {kEmpty, kEmpty}));
  for (const char* name : {"y", "log_sum_exp", "grad_o", "grad_log_sum_exp"})
    for (const double amount : none.at(name)) EXPECT_EQ(amount, 0) << name;
}

// A kernel that merges one split after the other, and a backward that uses the stored y, must pass.
// A kernel that gives every split the same weight must fail.
TEST(MergeAllowances, CoverOtherOrders) {
  for (const Case& c : recipes::merge_cases(Tier::quick, 3)) {
    if (!c.reason.starts_with("empty_splits") && !c.reason.starts_with("seven_splits")) continue;
    const certify::StoredCase stored = certify::certify_case(c);
    mutations::Sites right,
        wrong(mutations::Mutation{"weights of the splits", mutations::MutationOperator::other});
    EXPECT_TRUE(
        gate::check_case(
            stored,
            plain::run_plain_merge(c, inputs_of(c), {.welford = true, .from_y = true}, right), {})
            .passed())
        << case_folder(c);
    EXPECT_FALSE(
        gate::check_case(stored, plain::run_plain_merge(c, inputs_of(c), {}, wrong), {}).passed())
        << case_folder(c);
  }
}

}  // namespace
}  // namespace normproof::verification::golden::tolerance
