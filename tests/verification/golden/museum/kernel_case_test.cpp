#include "verification/golden/museum/kernel_case.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "verification/golden/recipes/norm_recipe.hpp"

namespace normproof::verification::golden::museum {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Case layer_norm_case(DType dtype = DType::float32) {
  return recipes::norm_recipe(corpus::Tier::quick, "layer_norm", "random", {2, 3, 4}, dtype)
      .make(1);
}

TEST(ExhibitOutput, StartsAsTheCorrectOutputAndKeepsChanges) {
  const Case c = layer_norm_case(DType::bfloat16);
  KernelCase work(c);
  EXPECT_EQ(work.answer(), run_with_mutation(c, {}));
  EXPECT_EQ(work.shape().samples, 2u);
  EXPECT_EQ(work.shape().tokens, 3u);
  EXPECT_EQ(work.shape().d_model, 4u);
  EXPECT_EQ(work.in("x").size(), 24u);
  EXPECT_THAT(work.in("velocity"), IsEmpty());
  EXPECT_FALSE(work.has_output("velocity"));
  work.out("y")[5] = 1.001;  // not representable in bfloat16
  const std::vector<StoredTensor> answer = work.answer();
  EXPECT_EQ(ref::io::widen(*corpus::find(answer, "y"))[5], 1.0);
}

TEST(ExhibitOutput, IsWrongWithAMutation) {
  const Case c = layer_norm_case();
  EXPECT_NE(KernelCase(c, {"mean", mutations::MutationOperator::drop}).answer(),
            KernelCase(c).answer());
}

TEST(EpsOfOptions, IsFoundForEveryOperation) {
  EXPECT_EQ(norm_eps(layer_norm_case()), 1e-5);
}

TEST(SumInFormat, RoundsEachPartialSum) {
  const std::vector<double> terms(300, 1.0);
  EXPECT_EQ(rounded_sum(StorageFormat::bfloat16, terms), 256);
  EXPECT_EQ(sum_of(terms), 300);
  EXPECT_EQ(rounded(257, StorageFormat::bfloat16), 256);
}

}  // namespace
}  // namespace normproof::verification::golden::museum
