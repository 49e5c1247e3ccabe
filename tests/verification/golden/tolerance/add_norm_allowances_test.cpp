#include "verification/golden/tolerance/add_norm_allowances.hpp"

#include <gtest/gtest.h>

#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/gate/check.hpp"
#include "verification/golden/plain/plain_layers.hpp"
#include "verification/golden/recipes/case_inputs.hpp"

namespace normproof::verification::golden::tolerance {
namespace {

using gate::check_case;
constexpr const char* kAddNorms[] = {"add_layer_norm", "add_rms_norm"};

/// Returns the amounts that the allowances add to a bound of 0.
ref::tensor::NamedTensors<double> measure_sum_allowance(const Case& c, Accumulation accumulation) {
  const checks::evaluation::EvalInputs inputs = inputs_of(c, case_folder(c));
  ref::tensor::NamedTensors<double> bound;
  for (const auto& [name, values] :
       checks::evaluation::run_operation<double>(c.options, inputs, false))
    bound.set(name, ref::tensor::full_tensor<double>(ref::tensor::shape_of(values), 0));
  add_add_norm_allowances(c, inputs.function, accumulation, bound);
  return bound;
}

TEST(AddNormAllowances, AreZeroIfStorageDoesNotRound) {
  for (const char* function : kAddNorms)
    for (const auto& [name, values] : measure_sum_allowance(
             plain_recipe(function, {3, 7}, DType::float32).make(1), Accumulation::float32))
      for (const double bound : values) EXPECT_EQ(bound, 0) << name;
}

TEST(AddNormAllowances, AddNothingToTheBoundOfTheSum) {
  for (const char* function : kAddNorms)
    for (const double bound :
         measure_sum_allowance(plain_recipe(function, {3, 7}, DType::bfloat16).make(1),
                               Accumulation::float32)
             .at("sum"))
      EXPECT_EQ(bound, 0);
}

/// A candidate that normalizes the stored sum must be within the bound with allowances, but not
/// within the bound that takes the sum as exact.
TEST(AddNormAllowances, CoverNormalizingTheSumThatWasRoundedToStorage) {
  for (const char* function : kAddNorms)
    for (const auto& [dtype, zero_centered] :
         {std::pair{DType::bfloat16, "0"}, {DType::float16, "0"}, {DType::bfloat16, "1"}}) {
      const Case c = plain_recipe(function, {9, 12}, dtype)
                         .option("zero_centred_gamma", zero_centered)
                         .make(1);
      const StoredCase stored = certified(c);
      mutations::Sites sites;
      const auto answer = plain::run_plain(c, recipes::inputs_of(c), {.from_y = true}, sites);
      Tolerance bounds = derive_tolerance(c, Accumulation::float32);
      EXPECT_TRUE(check_case(stored, answer, {}, bounds).passed()) << function;
      Case float32 = c;
      float32.dtype = DType::float32;
      bounds.bound = derive_tolerance(float32, Accumulation::float32).bound;
      EXPECT_FALSE(check_case(stored, answer, {}, bounds).passed()) << function;
    }
}

/// Mutations of the sums must stay outside the bound.
TEST(AddNormAllowances, DoNotCoverMutations) {
  const Case c = plain_recipe("add_layer_norm", {9, 12}, DType::bfloat16).make(1);
  const StoredCase stored = certified(c);
  for (const mutations::Mutation& mutation :
       {mutations::Mutation{"residual in the sum", mutations::MutationOperator::drop},
        {"grad_sum in grad_x", mutations::MutationOperator::drop},
        {"place of grad_sum", mutations::MutationOperator::other},
        {"sum in the statistics", mutations::MutationOperator::other},
        {"returned sum", mutations::MutationOperator::other}}) {
    mutations::Sites sites(mutation);
    EXPECT_FALSE(
        check_case(stored, plain::run_plain(c, recipes::inputs_of(c), {}, sites), {}).passed())
        << mutation.site;
  }
}

}  // namespace
}  // namespace normproof::verification::golden::tolerance
