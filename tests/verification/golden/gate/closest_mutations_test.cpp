#include "verification/golden/gate/closest_mutations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace normproof::verification::golden::gate {
namespace {

using mutations::MutationOperator;
using ::testing::ElementsAre;

AgreeingMutation found(const std::string& site, double ulps, std::vector<std::string> outputs,
                       MutationOperator op = MutationOperator::drop) {
  return {{site, op}, {.what = site, .ulps = ulps, .outputs = std::move(outputs)}};
}

std::vector<std::string> closest_of(std::vector<AgreeingMutation> all) {
  keep_closest(all);
  std::vector<std::string> sites;
  sites.reserve(all.size());
  for (const AgreeingMutation& each : all) sites.push_back(each.mutation.site);
  return sites;
}

TEST(ClosestMutations, AreSortedByOutputsAndThenByDistance) {
  EXPECT_THAT(closest_of({found("a", 1, {"grad_k"}), found("b", 3, {"grad_q", "y"}),
                          found("c", 2, {"grad_q", "y"})}),
              ElementsAre("c", "b", "a"));
}

TEST(ClosestMutations, LackThoseThatAreMuchFartherOff) {
  EXPECT_THAT(closest_of({found("a", 3, {"y"}), found("b", 7, {"y"}), found("c", 5, {"y"})}),
              ElementsAre("a", "c"));
  // Distances below an ulp count as equal.
  EXPECT_THAT(closest_of({found("a", 0, {"y"}), found("b", 1.5, {"y"})}), ElementsAre("a", "b"));
}

TEST(ClosestMutations, LackThoseWhoseOutputsAnotherExplainsWithMore) {
  EXPECT_THAT(closest_of({found("sum", 1, {"grad_k"}), found("mask", 9, {"grad_k", "y"})}),
              ElementsAre("mask"));
  EXPECT_THAT(closest_of({found("sum", 1, {"grad_v"}), found("mask", 9, {"grad_k", "y"})}),
              ElementsAre("mask", "sum"));
}

TEST(ClosestMutations, LackErrorsAtSeveralSitesOfWhichOneExplainsAsMuch) {
  using enum MutationOperator;
  const std::string sum = "sum of squares", every = "every sum";
  EXPECT_THAT(closest_of({found(sum, 1, {"y"}, first_256), found(every, 1, {"y"}, first_256)}),
              ElementsAre(sum));
  EXPECT_THAT(closest_of({found("norm: " + sum, 1, {"y"}, first_256),
                          found("norm: " + every, 1, {"y"}, first_256)}),
              ElementsAre("norm: " + sum));
  // The pattern of the sites, "bias correction of *", matches the name too.
  EXPECT_THAT(closest_of({found("bias correction of both moments", 1, {"parameter"})}),
              ElementsAre("bias correction of both moments"));
  EXPECT_THAT(closest_of({found(sum, 1, {"y"}, first_256), found(every, 1, {"y"}, first_1024)}),
              ElementsAre(sum, every));
  EXPECT_THAT(
      closest_of({found(sum, 1, {"y"}, first_256), found(every, 1, {"grad_x", "y"}, first_256)}),
      ElementsAre(every));
}

}  // namespace
}  // namespace normproof::verification::golden::gate
