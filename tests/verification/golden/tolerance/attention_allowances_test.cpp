#include "verification/golden/tolerance/attention_allowances.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/verification/golden/attention_case.hpp"
#include "verification/golden/gate/check.hpp"
#include "verification/golden/plain/plain_attention.hpp"
#include "verification/golden/recipes/attention_corpus.hpp"

namespace normproof::verification::golden::tolerance {
namespace {

using gate::check_case;
using namespace normproof::verification::golden::plain;
using ref::tensor::NamedTensors;

/// Returns the amounts that the allowances add to bounds of 0.
NamedTensors<double> measure_attention_allowance(const Case& c, Accumulation accumulation) {
  NamedTensors<double> bound;
  for (const auto& [name, of] : {std::pair("y", "grad_y"), std::pair("grad_q", "q"),
                                 std::pair("grad_k", "k"), std::pair("grad_v", "v")})
    bound.set(name, ref::tensor::full_tensor<double>(find(c.inputs, of)->shape, 0));
  add_attention_allowances(c, inputs_of(c).function, accumulation, bound);
  return bound;
}

// There are three keys, each with an attention weight of 1/3.
TEST(AttentionAllowances, CoverWeightsStoredIn16Bits) {
  const Case c = attention_case({0}, {1, 2, 3}, {4, 6, 8}, {1}, DType::bfloat16);
  const double u = corpus::unit_roundoff(DType::bfloat16);
  const auto added = measure_attention_allowance(c, Accumulation::float32);
  EXPECT_GE(added.at("y").data()[0], u * 6);
  EXPECT_LE(added.at("y").data()[0], u * 6 * 1.01);
  EXPECT_GE(added.at("grad_v").data()[0], u / 3);
  EXPECT_LE(added.at("grad_v").data()[0], u / 3 * 1.01);
  // The mean of the weight gradients is 6. It is off by 6 u because of the rounding of y, and by 6
  // u because of the rounding of the weights.
  EXPECT_GE(added.at("grad_q").data()[0], u * 12);
  EXPECT_LE(added.at("grad_q").data()[0], u * 60);
}

TEST(AttentionAllowances, AddNothingForWeightsThatTheFormatRepresents) {
  const Case c = attention_case({0}, {1, 2}, {4, 8}, {1}, DType::bfloat16);
  EXPECT_EQ(measure_attention_allowance(c, Accumulation::float32).at("y").data()[0], 0);
}

TEST(AttentionAllowances, AddNoStorageErrorForWideFormats) {
  const Case c = attention_case({0}, {1, 2}, {4, 8}, {1}, DType::float32);
  const auto added = measure_attention_allowance(c, Accumulation::float32);
  EXPECT_EQ(added.at("y").data()[0], 0);
  EXPECT_LE(added.at("grad_q").data()[0], 0x1p-24 * 200);
}

// If storage does not round, or q is 0, a factor of the allowance is 0. 0 times an infinite error
// is NaN, but the bound must be infinity.
TEST(AttentionAllowances, AreInfiniteIfAnErrorIsInfinite) {
  const Case c = attention_case({0}, {1, 2, 3}, {4, 6, 8}, {1}, DType::float32);
  NamedTensors<double> bound = measure_attention_allowance(c, Accumulation::bfloat16);
  bound.at("y").data()[0] = std::numeric_limits<double>::infinity();
  add_attention_allowances(c, inputs_of(c).function, Accumulation::bfloat16, bound);
  for (const char* const name : {"grad_q", "grad_k"})
    for (const double element : bound.at(name))
      EXPECT_EQ(element, std::numeric_limits<double>::infinity()) << name;
  EXPECT_LE(bound.at("grad_v").data()[0], 1);
}

// A backward that uses stored values, as 16-bit kernels do, must pass. A candidate that omits the
// maximum, or applies the scale twice, must fail.
TEST(AttentionAllowances, CoverKernelsIn16Bits) {
  for (const Case& c : recipes::attention_cases(Tier::quick, 3)) {
    if (c.reason != "ragged_causal_grouped") continue;
    const StoredCase stored = certify::certify_case(c);
    mutations::Sites right,
        wrong(mutations::Mutation{"scale", mutations::MutationOperator::square});
    EXPECT_TRUE(
        check_case(stored,
                   run_plain_attention(c, inputs_of(c), {.welford = true, .from_y = true}, right),
                   {})
            .passed())
        << case_folder(c);
    EXPECT_FALSE(
        check_case(stored, run_plain_attention(c, inputs_of(c), {.from_y = true}, wrong), {})
            .passed())
        << case_folder(c);
  }
}

}  // namespace
}  // namespace normproof::verification::golden::tolerance
