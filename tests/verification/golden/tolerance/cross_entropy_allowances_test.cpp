#include "verification/golden/tolerance/cross_entropy_allowances.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/golden/cross_entropy_case.hpp"

namespace normproof::verification::golden::tolerance {
namespace {

// For logits of 1000, log_sum_exp is 1000.7. There, float32 numbers are 2^-14 apart.
TEST(CrossEntropyAllowances, CoverALogSumExpThatIsRoundedToOneNumber) {
  Case c = cross_entropy_case_of_two_rows(DType::float32);
  c.inputs[0] = make_stored_tensor("logits", DType::float32, {2, 2}, {1000, 1000, 1000, 1000});
  ref::tensor::NamedTensors<double> bound;
  bound.set("loss", ref::tensor::full_tensor<double>({1}, 0));
  bound.set("grad_logits", ref::tensor::full_tensor<double>({2, 2}, 0));
  add_cross_entropy_allowances(c, inputs_of(c).function, Accumulation::float32, bound);
  const double exponent = 4 * 0x1p-24 * (1000 + 2 * std::log(2));
  // The slack of docs/error_analysis.md is 8 u for each of 2 rows and 2 classes. Rounding in double
  // adds to it: a log_sum_exp of 1000 is off by half an ulp, 2^-44, and so is its difference from a
  // logit.
  constexpr double kSlack = 1 + 8 * 4 * 0x1p-24, kRounded = 0x1p-42;
  const auto expect = [](double got, double least) {
    EXPECT_LE(least, got);
    EXPECT_LE(got, least * kSlack * (1 + 2 * kRounded));
  };
  expect(bound.at("loss").data()[0], exponent * (1 - kRounded));
  for (const double gradient : bound.at("grad_logits"))
    expect(gradient, exponent / 4 * std::exp(exponent) * (1 - kRounded));
}

// Two equal logits of 4 have the log-probabilities -log 2, whatever the target.
TEST(CrossEntropyAllowances, CoverLogProbabilitiesThatAreStoredInTheDtypeOfTheLogits) {
  Case c = cross_entropy_case_of_two_rows(DType::bfloat16);
  c.inputs[0] = make_stored_tensor("logits", DType::bfloat16, {2, 2}, {4, 4, 4, 4});
  ref::tensor::NamedTensors<double> bound;
  bound.set("loss", ref::tensor::full_tensor<double>({1}, 0));
  bound.set("grad_logits", ref::tensor::full_tensor<double>({2, 2}, 0));
  allow_stored_log_probabilities(c, Accumulation::float32, bound);
  const double p = std::log(2), computed = 4 * 0x1p-24 * (4 + 2 * p);
  const double d = computed + 0x1p-8 * (p + computed);
  // The slack is 8 u for each of 2 rows and 2 classes, and the smallest subnormal number.
  constexpr double kSlack = 1 + 8 * 4 * 0x1p-24 + 0x1p-40;
  const auto expect = [](double got, double least) {
    EXPECT_LE(least * (1 - 0x1p-40), got);
    EXPECT_LE(got, least * kSlack);
  };
  const double rounded = std::expm1(6 * 0x1p-8);
  expect(bound.at("loss").data()[0], d + rounded * (p + d));
  // The target has the part 1/2 of a row, for two rows; the other class has none.
  const double probability = std::exp(d) / 4 * (d + rounded);
  for (const std::size_t i : {0u, 3u})
    expect(bound.at("grad_logits").data()[i], probability + rounded / 2);
  for (const std::size_t i : {1u, 2u}) expect(bound.at("grad_logits").data()[i], probability);
}

TEST(CrossEntropyAllowances, StoringChangesNothingInTheDtypeOfTheSums) {
  for (const DType dtype : {DType::float32, DType::float64}) {
    const Case c = cross_entropy_case_of_two_rows(dtype);
    ref::tensor::NamedTensors<double> bound;
    bound.set("loss", ref::tensor::full_tensor<double>({1}, 0));
    allow_stored_log_probabilities(c, corpus::usual_accumulation(dtype), bound);
    EXPECT_EQ(bound.at("loss").data()[0], 0);
  }
}

TEST(CrossEntropyAllowances, DtypesOfLossesHaveNames) {
  for (const LossDtype dtype : kLossDtypes) EXPECT_EQ(parse_loss_dtype(to_string(dtype)), dtype);
  EXPECT_EQ(
      ref::numeric::error_message<ref::numeric::UsageError>([] { parse_loss_dtype("logit"); }),
      "unknown loss dtype 'logit'; did you mean 'logits'? known: logits, wide");
}

}  // namespace
}  // namespace normproof::verification::golden::tolerance
