#include "verification/golden/plain/plain_add_norms.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/golden/certify/samples.hpp"

namespace normproof::verification::golden::plain {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using Op = MutationOperator;

/// Returns a case in which the sum is (1, -1), gamma is 2 and beta is (0, 1). With two features,
/// the norm's backward is 0, so grad_y does not reach x.
Case case_with_sum_one_and_minus_one() {
  return plain_recipe("add_layer_norm", {1, 2})
      .option("eps", "0")
      .x([](std::size_t i, double) { return i == 0 ? 5.0 : 0.0; })
      .parameter("residual", [](std::size_t i, double) { return i == 0 ? -4.0 : -1.0; })
      .grad_y([](std::size_t i, double) { return i == 0 ? 1.0 : 2.0; })
      .parameter("grad_sum", [](std::size_t i, double) { return i == 0 ? 3.0 : 4.0; })
      .parameter("gamma", [](auto, double) { return 2.0; })
      .parameter("beta", [](std::size_t i, double) { return static_cast<double>(i); })
      .make(1);
}

std::vector<double> run(const char* output, const Mutation& mutation = {}) {
  const Case c = case_with_sum_one_and_minus_one();
  Sites sites(mutation);
  return find_tensor_values(run_plain(c, recipes::inputs_of(c), {}, sites), output);
}

TEST(PlainAddNorms, MatchHandComputedValues) {
  EXPECT_THAT(run("sum"), ElementsAre(1, -1));
  EXPECT_THAT(run("y"), ElementsAre(2, -1));
  EXPECT_THAT(run("grad_x"), ElementsAre(3, 4));
  EXPECT_THAT(run("grad_gamma"), ElementsAre(1, -2));
  EXPECT_THAT(run("grad_beta"), ElementsAre(1, 2));
}

TEST(PlainAddNorms, MutationsOfTheSumsChangeTheOutputs) {
  EXPECT_THAT(run("sum", {"residual in the sum", Op::drop}), ElementsAre(5, 0));
  EXPECT_THAT(run("y", {"residual in the sum", Op::drop}), ElementsAre(2, -1));
  EXPECT_THAT(run("sum", {"returned sum", Op::other}), ElementsAre(5, 0));
  EXPECT_THAT(run("y", {"returned sum", Op::other}), ElementsAre(2, -1));
  EXPECT_THAT(run("sum", {"returned sum", Op::square}), ElementsAre(-3, -2));
  EXPECT_THAT(run("y", {"residual in y", Op::insert}), ElementsAre(-2, -2));
  EXPECT_THAT(run("grad_x", {"grad_sum in grad_x", Op::drop}), ElementsAre(0, 0));
  // This mutation loses the gradient that passes through the norm.
  EXPECT_THAT(run("grad_x", {"place of grad_sum", Op::other}), ElementsAre(0, 0));
  EXPECT_THAT(run("grad_beta", {"place of grad_sum", Op::other}), ElementsAre(4, 6));
}

TEST(PlainAddNorms, MutationTakesTheStatisticsOfXInsteadOfTheSum) {
  // x is (5, 0), with mean 2.5 and standard deviation 2.5.
  EXPECT_THAT(run("sum", {"sum in the statistics", Op::other}), ElementsAre(1, -1));
  EXPECT_THAT(run("y", {"sum in the statistics", Op::other}),
              ElementsAre(DoubleEq(-1.2), DoubleEq(-1.8)));
  EXPECT_THAT(run("y", {"norm: gamma", Op::drop}), ElementsAre(1, 0));
}

TEST(PlainAddNorms, OfferNoMutationWithoutEffect) {
  const Case c = case_with_sum_one_and_minus_one();
  Sites sites;
  sites.list();
  run_plain(c, recipes::inputs_of(c), {}, sites);
  EXPECT_FALSE(sites.seen().empty());
  for (const Mutation& mutation : sites.seen()) {
    EXPECT_FALSE(mutation.site.starts_with("norm: returned ")) << mutation.site;
    EXPECT_FALSE(mutation.site.starts_with("norm: writing ")) << mutation.site;
  }
}

}  // namespace
}  // namespace normproof::verification::golden::plain
