#include "verification/golden/tolerance/cross_entropy_allowances.hpp"

#include <gtest/gtest.h>

#include <cmath>

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

}  // namespace
}  // namespace normproof::verification::golden::tolerance
