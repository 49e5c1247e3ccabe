#include "verification/claims/engine/property.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "verification/claims/fixtures/generators.hpp"

namespace normproof::verification::claims::engine {

using namespace fixtures;

namespace {

using Outcome = Judgement::Outcome;
using ref::numeric::ContractError;

const double kNan = std::numeric_limits<double>::quiet_NaN();
const double kInfinity = std::numeric_limits<double>::infinity();

TEST(JudgeWithinBound, HoldsOnlyIfTheErrorIsAtMostTheBound) {
  EXPECT_EQ(within(1.0, 2.0).outcome, Outcome::held);
  EXPECT_EQ(within(1.0, 2.0).attained, 0.5);
  EXPECT_EQ(within(2.0, 2.0).outcome, Outcome::held);
  EXPECT_EQ(within(2.5, 2.0).outcome, Outcome::violated);
  EXPECT_EQ(within(0.0, 0.0).outcome, Outcome::held);
  EXPECT_EQ(within(0.0, 0.0).attained, 0);
  EXPECT_EQ(within(1.0, 0.0).outcome, Outcome::violated);
  EXPECT_EQ(within(1.0, 0.0).attained, kInfinity);
  EXPECT_EQ(within(kNan, 1.0).outcome, Outcome::violated);
  EXPECT_EQ(within(1.0, kNan).outcome, Outcome::violated);
  EXPECT_EQ(within(1.0, kNan).attained, kInfinity);
  EXPECT_EQ(within(1.0, -2.0).outcome, Outcome::violated);
  EXPECT_GT(within(1.0, -2.0).attained, 1);
  EXPECT_EQ(within(-3.0, -2.0).attained, 0);
}

TEST(JudgeWithinBound, DetectsAtFiftyDigitsAnExcessThatDoubleCannotRepresent) {
  const oracle50 bound = 1;
  const oracle50 above = bound + oracle50(std::ldexp(1.0, -120));
  EXPECT_EQ(within(above, bound).outcome, Outcome::violated);
  EXPECT_GT(within(above, bound).attained, 1);  // even though the ratio rounds to 1
  EXPECT_EQ(within(bound, above).outcome, Outcome::held);
  EXPECT_LE(within(bound, above).attained, 1);
}

TEST(JudgeWithinBound, NaNIsAViolationAtFiftyDigits) {
  const oracle50 nan = std::numeric_limits<oracle50>::quiet_NaN();
  EXPECT_EQ(within(nan, oracle50(1)).outcome, Outcome::violated);
  EXPECT_EQ(within(oracle50(1), nan).outcome, Outcome::violated);
}

TEST(JudgeBoth, ReturnsTheWorseOfTwoJudgments) {
  EXPECT_EQ(worse_judgement(within(1, 2), within(1, 4)).attained, 0.5);
  EXPECT_EQ(worse_judgement(within(1, 2), within(3, 2)).outcome, Outcome::violated);
  EXPECT_EQ(worse_judgement(judge_condition(true), within(kNan, 2)).outcome, Outcome::violated);
  EXPECT_EQ(worse_judgement(within(kNan, 2), within(1, 2)).attained, kInfinity);
  EXPECT_EQ(worse_judgement(within(1, 2), within(kNan, 2)).attained, kInfinity);
  EXPECT_EQ(worse_judgement(discarded(), judge_condition(false)).outcome, Outcome::discarded);
}

rc::Gen<int> integers_up_to(int most) {
  return make_shrinking_generator<int>(
      [most](Draw& draw) {
        return static_cast<int>(draw.between(0, static_cast<std::size_t>(most)));
      },
      [](const int& v) {
        std::vector<int> simpler_doubles;
        for (int i = 0; i < v; ++i) simpler_doubles.push_back(i);
        return simpler_doubles;
      });
}

Property<int> below(int limit) {
  return {.cases = integers_up_to(100),
          .judge = [limit](const int& v) { return within(v, limit); },
          .describe = [](const int& v) { return "v = " + std::to_string(v); },
          .worst_meaning = "v / limit"};
}

Run make_run(std::size_t cases, std::uint64_t seed = 1, const std::string& claim = "X") {
  engine::Run run;
  run.cases = cases;
  run.seed = seed;
  run.claim = claim;
  return run;
}

TEST(ExamineProperty, FindsThatAPropertyHoldsIfNoCaseViolatesIt) {
  const Evidence e = examine(make_run(500), below(100));
  EXPECT_EQ(e.observed, Verdict::holds);
  EXPECT_EQ(e.cases, 500u);
  EXPECT_EQ(e.violations, 0u);
  EXPECT_GT(e.worst, 0.9);
  EXPECT_LE(e.worst, 1);
  EXPECT_EQ(e.worst_meaning, "v / limit");
  EXPECT_EQ(e.counterexample, "");
  EXPECT_EQ(e.seed, 1u);
}

TEST(ExamineProperty, CountsViolationsAndShrinksTheFirstCounterexample) {
  const Evidence e = examine(make_run(500), below(70));
  EXPECT_EQ(e.observed, Verdict::refuted);
  EXPECT_EQ(e.cases, 500u);  // every case is tried, even after a violation
  EXPECT_GT(e.violations, 90u);
  EXPECT_LT(e.violations, 220u);
  EXPECT_EQ(e.counterexample, "v = 71");
}

TEST(ExamineProperty, StopsAtAViolationOrSkipsShrinkingIfRequested) {
  engine::Run brief = make_run(500);
  brief.stops_at_violation = true;
  const Evidence stopped = examine(brief, below(70));
  EXPECT_EQ(stopped.observed, Verdict::refuted);
  EXPECT_EQ(stopped.violations, 1u);
  EXPECT_LT(stopped.cases, 500u);
  EXPECT_EQ(stopped.counterexample, "v = 71");
  brief.shrinks = false;
  EXPECT_NE(examine(brief, below(70)).counterexample, "v = 71");
  EXPECT_EQ(examine(brief, below(100)).cases, 500u);
}

TEST(ExamineProperty, DrawsCasesThatDependOnlyOnSeedAndClaim) {
  const auto digest = [](const engine::Run& run) {
    std::vector<int> seen;
    Property<int> watching = below(100);
    watching.judge = [&](const int& v) {
      seen.push_back(v);
      return judge_condition(true);
    };
    examine(run, watching);
    return seen;
  };
  EXPECT_EQ(digest(make_run(50)), digest(make_run(50)));
  EXPECT_NE(digest(make_run(50)), digest(make_run(50, 2)));
  EXPECT_NE(digest(make_run(50)), digest(make_run(50, 1, "Y")));
}

TEST(ExamineProperty, DrawsCasesOfGrowingSize) {
  std::vector<int> sizes;
  const Property<int> property{.cases = rc::Gen<int>([&](const rc::Random&, int size) {
                                 sizes.push_back(size);
                                 return rc::shrinkable::just(size);
                               }),
                               .judge = [](const int&) { return judge_condition(true); },
                               .describe = [](const int&) { return ""; },
                               .worst_meaning = ""};
  examine(make_run(200), property);
  EXPECT_EQ(sizes.front(), 1);
  EXPECT_EQ(sizes.back(), 100);
  EXPECT_TRUE(std::is_sorted(sizes.begin(), sizes.end()));
}

TEST(ExamineProperty, ReplacesDiscardedCases) {
  Property<int> property = below(100);
  property.judge = [](const int& v) { return v % 2 == 0 ? discarded() : within(v, 100); };
  EXPECT_EQ(examine(make_run(100), property).cases, 100u);
}

TEST(ExamineProperty, RejectsAGeneratorWhoseCasesNeverMeetThePremises) {
  Property<int> property = below(100);
  property.judge = [](const int&) { return discarded(); };
  EXPECT_THROW(examine(make_run(10), property), ContractError);
}

TEST(ExamineProperty, RejectsZeroCases) {
  EXPECT_THROW(examine(make_run(0), below(1)), ContractError);
}

TEST(ExamineProperty, RethrowsExceptionsOfJudgeAndGenerator) {
  Property<int> property = below(100);
  property.judge = [](const int&) -> Judgement { throw std::out_of_range("judge"); };
  EXPECT_THROW(examine(make_run(10), property), std::out_of_range);
  Property<int> failing = below(100);
  failing.cases =
      make_shrinking_generator<int>([](Draw&) -> int { throw std::domain_error("generator"); },
                                    [](const int&) { return std::vector<int>(); });
  EXPECT_THROW(examine(make_run(10), failing), std::domain_error);
}

TEST(ExamineProperty, ShrinkingSkipsCasesThatViolateAContract) {
  Property<int> property = below(70);
  property.judge = [](const int& v) {
    if (v < 50) ref::numeric::contract_failure("judge", "v", "is below 50", "50 or more");
    return within(v, 70);
  };
  property.cases = rc::Gen<int>([](const rc::Random& random, int) {
    return rc::shrinkable::map(integers_up_to(20)(random, 100), [](int v) { return v + 71; });
  });
  EXPECT_EQ(examine(make_run(5), property).counterexample, "v = 71");
}

}  // namespace
}  // namespace normproof::verification::claims::engine
