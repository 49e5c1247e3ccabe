#include "verification/claims/engine/control.hpp"

#include <gtest/gtest.h>

namespace normproof::verification::claims::engine {
namespace {

Evidence make_evidence(Verdict verdict, double worst = 0.5) {
  Evidence e;
  e.observed = verdict;
  e.cases = 10;
  e.violations = verdict == Verdict::holds ? 0 : 4;
  e.worst = worst;
  e.counterexample = verdict == Verdict::holds ? "" : "x = 1";
  return e;
}

TEST(WithFewerCases, ReturnsAQuarterOfTheCasesAndAtLeast25) {
  engine::Run run;
  run.cases = 1000;
  EXPECT_EQ(reduce_case_count(run).cases, 250u);
  run.cases = 2;
  EXPECT_EQ(reduce_case_count(run).cases, 25u);
}

TEST(RefuteEveryConstant, RequiresAViolationInEveryCase) {
  Evidence every = make_evidence(Verdict::refuted);
  every.violations = every.cases;
  EXPECT_EQ(refute_every_constant(every).observed, Verdict::refuted);
  EXPECT_EQ(refute_every_constant(every).counterexample, "x = 1");
  const Evidence some = refute_every_constant(make_evidence(Verdict::refuted));
  EXPECT_EQ(some.observed, Verdict::holds);
  EXPECT_EQ(some.counterexample, "");
  EXPECT_EQ(some.detail, "6 of 10 constants drawn are not refuted");
  EXPECT_EQ(refute_every_constant(make_evidence(Verdict::holds)).observed, Verdict::holds);
}

TEST(CombineParts, HoldsIfBothPartsHold) {
  const Evidence e =
      combine_parts(make_evidence(Verdict::holds), make_evidence(Verdict::holds, 0.75), "part");
  EXPECT_EQ(e.observed, Verdict::holds);
  EXPECT_EQ(e.worst, 0.75);
  EXPECT_EQ(e.detail, "part: 10 of 10 hold, worst 0.75");
}

TEST(CombineParts, IsRefutedIfEitherPartIs) {
  const Evidence by_part =
      combine_parts(make_evidence(Verdict::holds), make_evidence(Verdict::refuted), "part");
  EXPECT_EQ(by_part.observed, Verdict::refuted);
  EXPECT_EQ(by_part.violations, 4u);
  EXPECT_EQ(by_part.counterexample, "part: x = 1");
  const Evidence by_main =
      combine_parts(make_evidence(Verdict::refuted), make_evidence(Verdict::holds), "part");
  EXPECT_EQ(by_main.observed, Verdict::refuted);
  EXPECT_EQ(by_main.counterexample, "x = 1");
}

TEST(RefuteWithControl, KeepsTheVerdictOfTheMainPart) {
  const auto control = [] { return make_evidence(Verdict::holds); };
  EXPECT_EQ(refute_with_control(make_evidence(Verdict::refuted), control, "c").observed,
            Verdict::refuted);
  EXPECT_EQ(refute_with_control(make_evidence(Verdict::refuted), control, "c").detail,
            "c: 10 of 10 hold, worst 0.5");
}

TEST(RefuteWithControl, ControlCannotRefuteInPlaceOfTheMainPart) {
  const auto control = [] { return make_evidence(Verdict::refuted); };
  EXPECT_EQ(refute_with_control(make_evidence(Verdict::holds), control, "c").observed,
            Verdict::holds);
  EXPECT_THROW(refute_with_control(make_evidence(Verdict::refuted), control, "c"),
               ref::numeric::ContractError);
}

TEST(WithRemark, AppendsToTheDetail) {
  EXPECT_EQ(add_remark(add_remark({}, "one"), "two").detail, "one; two");
}

}  // namespace
}  // namespace normproof::verification::claims::engine
