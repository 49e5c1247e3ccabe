#include "verification/golden/gate/refuted_mutations.hpp"

#include <gtest/gtest.h>

namespace normproof::verification::golden::gate {
namespace {

const mutations::Mutation kMistake{"eps", mutations::MutationOperator::drop};
constexpr FailedPasses kForward{.forward = true};

TEST(RefutedMutations, AreThoseOfCasesBeforeTheCase) {
  RefutedMutations refuted;
  refuted.add(kMistake, kForward, 5);
  refuted.add(kMistake, kForward, 9);
  EXPECT_FALSE(refuted.has(kMistake, kForward, 5));
  EXPECT_TRUE(refuted.has(kMistake, kForward, 6));
  EXPECT_FALSE(refuted.has({"eps", mutations::MutationOperator::ten_times}, kForward, 6));
  refuted.add(kMistake, kForward, 3);
  EXPECT_TRUE(refuted.has(kMistake, kForward, 5));
}

TEST(RefutedMutations, AreNotRefutedForOtherPasses) {
  RefutedMutations refuted;
  refuted.add(kMistake, kForward, 1);
  EXPECT_FALSE(refuted.has(kMistake, {.backward = true}, 3));
  EXPECT_FALSE(refuted.has(kMistake, {.forward = true, .backward = true}, 3));
}

TEST(RefutedMutations, AreNotRefutedIfAnEarlierCaseConfirmsThem) {
  RefutedMutations refuted;
  refuted.add(kMistake, kForward, 1);
  refuted.confirm(kMistake, 4);
  EXPECT_TRUE(refuted.has(kMistake, kForward, 4));
  EXPECT_FALSE(refuted.has(kMistake, kForward, 5));
}

TEST(SearchHistory, ForgetsTheCasesFromOneThatIsJudgedAgain) {
  const mutations::Mutation other{"eps", mutations::MutationOperator::ten_times};
  SearchHistory history;
  history.of("layer_norm").add(kMistake, kForward, 1);
  history.of("layer_norm").add(other, kForward, 4);
  history.of("layer_norm").confirm(kMistake, 4);
  history.forget_from(4);
  EXPECT_TRUE(history.of("layer_norm").has(kMistake, kForward, 9));
  EXPECT_FALSE(history.of("layer_norm").has(other, kForward, 9));
}

TEST(SearchHistory, HasItsOwnMutationsForEachOperation) {
  SearchHistory history;
  history.of("layer_norm").add(kMistake, kForward, 1);
  EXPECT_TRUE(history.of("layer_norm").has(kMistake, kForward, 3));
  EXPECT_FALSE(history.of("rms_norm").has(kMistake, kForward, 3));
}

}  // namespace
}  // namespace normproof::verification::golden::gate
