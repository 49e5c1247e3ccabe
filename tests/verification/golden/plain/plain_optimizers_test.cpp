#include "verification/golden/plain/plain_optimizers.hpp"

#include <gtest/gtest.h>

#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/gate/check.hpp"
#include "verification/golden/recipes/case_inputs.hpp"
#include "verification/golden/recipes/optimizer_corpus.hpp"

namespace normproof::verification::golden::plain {

using gate::CaseResult;
using gate::check_case;
using recipes::optimizer_cases;
namespace {

Case find_optimizer_case(const std::string& optimizer, const std::string& reason) {
  for (Case& c : optimizer_cases(Tier::quick, optimizer, 1))
    if (c.reason == reason) return std::move(c);
  ADD_FAILURE() << optimizer << " has no case " << reason;
  return {};
}

std::vector<StoredTensor> steps_with(const Case& c, const Mutation& mutation = {},
                                     const Style& style = {}) {
  Sites sites(mutation);
  return run_plain_optimizer(c, recipes::inputs_of(c), style, sites);
}

TEST(PlainOptimizers, EveryStyleReturnsAllOutputsAndPassesTheGate) {
  for (const std::string& optimizer : ref::model::optimizer_names())
    for (const Case& c : optimizer_cases(Tier::quick, optimizer, 1)) {
      const StoredCase stored = certified(c);
      for (const Style& style :
           {Style{}, Style{.reciprocal = true}, Style{.divide = true}, Style{.powers = true}}) {
        const CaseResult result = check_case(stored, steps_with(c, {}, style), {});
        EXPECT_TRUE(result.passed()) << case_folder(c);
        EXPECT_EQ(result.tensors.size(), stored.description.outputs.size()) << case_folder(c);
      }
    }
}

TEST(PlainOptimizers, AGradientSummedOverShardsCountsSoManyTimes) {
  const Case c = find_optimizer_case("sgd", "random");
  const auto parameter = [&](MutationOperator op) {
    const Mutation mutation{"gradients of several shards", op};
    return find_tensor_values(steps_with(c, mutation), "parameter")[0];
  };
  const double once = parameter(MutationOperator::none), twice = parameter(MutationOperator::twice);
  EXPECT_NE(once, twice);
  EXPECT_NEAR(parameter(MutationOperator::four_times) - once, 3 * (twice - once), 0x1p-48);
}

TEST(PlainOptimizers, WeightDecayDoesNotAffectTheMoments) {
  const Case c = find_optimizer_case("adamw", "random");
  const auto right = steps_with(c);
  const auto apart = steps_with(c, {"weight decay", MutationOperator::drop});
  EXPECT_EQ(find_tensor_values(right, "first_moment"), find_tensor_values(apart, "first_moment"));
  EXPECT_NE(find_tensor_values(right, "parameter"), find_tensor_values(apart, "parameter"));
  const auto added =
      steps_with(c, {"weight decay added to the gradient", MutationOperator::insert});
  EXPECT_NE(find_tensor_values(right, "first_moment"), find_tensor_values(added, "first_moment"));
}

TEST(PlainOptimizers, MutationThatKeepsTheOldStateShowsInTheSecondStep) {
  const Case c = find_optimizer_case("adam", "random");
  const std::string site = "moving first_moment";
  const std::vector<double> right = find_tensor_values(steps_with(c), "parameter"),
                            stale = find_tensor_values(
                                steps_with(c, {site, MutationOperator::drop}), "parameter");
  const std::size_t elements = right.size() / 3;
  for (std::size_t i = 0; i < right.size(); ++i) EXPECT_EQ(right[i] == stale[i], i < elements) << i;
}

TEST(PlainOptimizers, MutationThatResetsTheCounterMakesEveryStepTheFirst) {
  const Case c = find_optimizer_case("adam", "after_a_thousand_steps");
  const Mutation mutation{"step counter", MutationOperator::reset};
  EXPECT_EQ(find_tensor_values(steps_with(c, mutation), "iterations"),
            (std::vector<double>{1, 1, 1}));
  EXPECT_EQ(find_tensor_values(steps_with(c, mutation), "second_moment"),
            find_tensor_values(steps_with(c), "second_moment"));
  EXPECT_NE(find_tensor_values(steps_with(c, mutation), "parameter"),
            find_tensor_values(steps_with(c), "parameter"));
}

TEST(PlainOptimizers, StepsAreCountedExactlyIn16Bits) {
  const Case c = find_optimizer_case("adam", "after_a_thousand_steps");
  const auto answer = steps_with(c, {}, {.accumulation = Accumulation::bfloat16});
  EXPECT_EQ(find_tensor_values(answer, "iterations"), (std::vector<double>{1001, 1002, 1003}));
}

TEST(PlainOptimizers, SgdOffersNoMutationsOfAdam) {
  Sites sites;
  sites.list();
  run_plain_optimizer(find_optimizer_case("sgd", "random"),
                      recipes::inputs_of(find_optimizer_case("sgd", "random")), {}, sites);
  for (const Mutation& mutation : sites.seen())
    EXPECT_EQ(mutation.site.find("correction"), std::string::npos) << mutation.site;
}

}  // namespace
}  // namespace normproof::verification::golden::plain
