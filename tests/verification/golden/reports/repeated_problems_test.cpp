#include "verification/golden/reports/repeated_problems.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace normproof::verification::golden::reports {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(RepeatedProblems, AreThoseOfAnEarlierCase) {
  RepeatedProblems problems;
  EXPECT_FALSE(problems.add("raised ValueError", "a"));
  EXPECT_FALSE(problems.add("raised TypeError", "b"));
  EXPECT_TRUE(problems.add("raised ValueError", "c"));
  EXPECT_THAT(problems.lines(), ElementsAre("FAILED c, in the same way: raised ValueError"));
}

TEST(RepeatedProblems, CasesWithAnAnswerAreNotRecorded) {
  RepeatedProblems problems;
  EXPECT_FALSE(problems.add("", "a"));
  EXPECT_FALSE(problems.add("", "b"));
  EXPECT_THAT(problems.lines(), IsEmpty());
}

TEST(RepeatedProblems, AtMostThreePathsAreListed) {
  RepeatedProblems problems;
  for (const char* path : {"a", "b", "c", "d", "e"}) problems.add("no answer", path);
  EXPECT_THAT(problems.lines(),
              ElementsAre("FAILED b, c, d and 1 more case, in the same way: no answer"));
}

}  // namespace
}  // namespace normproof::verification::golden::reports
