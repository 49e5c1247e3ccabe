#include "verification/golden/gate/case_result.hpp"

#include <gtest/gtest.h>

namespace normproof::verification::golden::gate {
namespace {

TEST(CaseResult, PassesUnlessDeclinedOrAProblemOrATensorFails) {
  CaseResult result;
  result.tensors = {{.name = "y"}};
  EXPECT_TRUE(result.passed());
  result.declined = true;
  EXPECT_FALSE(result.passed());
  result.declined = false;
  result.problem = "is absent";
  EXPECT_FALSE(result.passed());
  result.problem.clear();
  result.tensors.push_back({.name = "grad_x", .failed = {2}});
  EXPECT_FALSE(result.passed());
}

TEST(Diagnosis, NamesWhatTheOutputsAgreeWith) {
  EXPECT_EQ((Diagnosis{.what = "eps: outside the root", .ulps = 1.5, .outputs = {"y", "rstd"}}
                 .sentence()),
            "agrees with 'eps: outside the root' to 1.5 ulp: y, rstd");
  EXPECT_EQ(
      (Diagnosis{
          .what = "every element is 0", .kind = Diagnosis::Kind::answer, .outputs = {"y", "grad_x"}}
           .sentence()),
      "every element is 0: y, grad_x");
  EXPECT_EQ(
      (Diagnosis{.what = "eps_placement='floor'", .kind = Diagnosis::Kind::option, .outputs = {"y"}}
           .sentence()),
      "the answer is right for eps_placement='floor': y");
  EXPECT_EQ((Diagnosis{.what = "sums in float16", .kind = Diagnosis::Kind::bound, .share = 0.125}
                 .sentence()),
            "no farther off than sums in float16 may be (the largest error is 12 % of that)");
  EXPECT_EQ((Diagnosis{.what = "sums in float16", .kind = Diagnosis::Kind::bound}.sentence()),
            "no farther off than sums in float16 may be");
  EXPECT_EQ(
      (Diagnosis{.what = "one pass", .kind = Diagnosis::Kind::bound, .bounded = false}.sentence()),
      "one pass may lose every digit of some elements here");
  EXPECT_EQ(
      (Diagnosis{.what = "wrong: y in the last row", .kind = Diagnosis::Kind::place}.sentence()),
      "wrong: y in the last row");
}

}  // namespace
}  // namespace normproof::verification::golden::gate
