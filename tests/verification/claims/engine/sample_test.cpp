#include "verification/claims/engine/sample.hpp"

#include <gtest/gtest.h>

namespace normproof::verification::claims::engine {
namespace {

Evidence of(double mean) {
  engine::Run run;
  run.seed = 9;
  return sample_evidence(run, 12, {{"a", 1, 1, 1, 0.5}, {"b", mean, 2, 4, 1}});
}

TEST(EvidenceOfASample, HoldsIfMeansAreWithinTheAllowance) {
  const Evidence e = of(5);
  EXPECT_EQ(e.observed, Verdict::holds);
  EXPECT_EQ(e.cases, 12u);
  EXPECT_EQ(e.violations, 0u);
  EXPECT_EQ(e.worst, 1);  // 2 from the middle of [1, 5]
  EXPECT_EQ(e.counterexample, "");
  EXPECT_EQ(e.detail, "a = 1, in [1, 1] ± 0.5; b = 5, in [2, 4] ± 1");
  EXPECT_EQ(e.seed, 9u);
}

TEST(EvidenceOfASample, IsRefutedIfAMeanExceedsTheAllowance) {
  for (const double mean : {5.001, 0.999}) {
    const Evidence e = of(mean);
    EXPECT_EQ(e.observed, Verdict::refuted);
    EXPECT_EQ(e.violations, 1u);
    EXPECT_GT(e.worst, 1);
    EXPECT_EQ(e.counterexample.substr(0, 4), "b = ");
  }
  EXPECT_EQ(of(0.0 / 0.0).observed, Verdict::refuted);
}

}  // namespace
}  // namespace normproof::verification::claims::engine
