#include "verification/studies/language/conclusions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/studies/language/sample_results.hpp"

namespace normproof::tests::verification::studies::language {
namespace {

using namespace normproof::verification::studies::language;
using normproof::verification::studies::published::Verdict;
using testing::HasSubstr;

class LanguageStudyConclusions : public ::testing::Test {
 protected:
  void add_norm_results(const char* norm, const std::vector<double>& losses) {
    add_tested_runs(results_, {}, norm, losses);
  }
  void diverge(const char* norm, std::uint64_t seed) {
    const Cell cell = cell_of({}, norm, "1e-2", seed, RunPurpose::test);
    add(results_, cell, diverged(sample_result(cell, 1)));
  }
  Verdict verdict(const char* id) const { return find(id, results_, {}).verdict; }

  Results results_;
};

TEST_F(LanguageStudyConclusions, ConfidenceIntervalOnOneSideOfZeroDecides) {
  add_norm_results("layer_norm", {1.0, 1.1, 1.2});
  add_norm_results("power_norm", {0.9, 1.0, 1.1});
  add_norm_results("batch_norm", {0.8, 0.9, 1.0});
  EXPECT_EQ(verdict("p1"), Verdict::holds);
  EXPECT_EQ(verdict("p2"), Verdict::fails);
  EXPECT_THAT(find("p1", results_, {}).numbers,
              HasSubstr("test perplexity of layer_norm less that of power_norm: +0.28"));
}

TEST_F(LanguageStudyConclusions, ConfidenceIntervalAroundZeroIsUnsettled) {
  add_norm_results("layer_norm", {1.0, 1.1, 1.2});
  add_norm_results("power_norm", {0.9, 1.2, 1.1});
  EXPECT_EQ(verdict("p1"), Verdict::unsettled);
}

TEST_F(LanguageStudyConclusions, StatementWithFewerThanTwoPairedSeedsIsNotRun) {
  for (const auto& statement : statements(Condition().task))
    EXPECT_EQ(verdict(statement.id.c_str()), Verdict::not_run);
  add_norm_results("layer_norm", {1.0});
  add_norm_results("power_norm", {0.9, 1.0});
  EXPECT_EQ(verdict("p1"), Verdict::not_run);
}

TEST_F(LanguageStudyConclusions, SeedAtWhichOneNormDivergedCountsForTheOtherNorm) {
  add_norm_results("layer_norm", {1.0, 1.1, 1.2});
  add_norm_results("batch_norm", {1.1, 1.3, 1.2});
  EXPECT_EQ(verdict("p2"), Verdict::unsettled);
  diverge("batch_norm", 3);
  EXPECT_EQ(verdict("p2"), Verdict::holds);
  EXPECT_THAT(find("p2", results_, {}).numbers, HasSubstr("at 1 of 3 seeds one alone diverged"));
  diverge("layer_norm", 1);
  EXPECT_EQ(verdict("p2"), Verdict::unsettled);
  for (const std::uint64_t seed : {2, 3}) diverge("layer_norm", seed);
  // At seed 3 both norms diverged, which decides nothing.
  EXPECT_EQ(verdict("p2"), Verdict::fails);
}

TEST_F(LanguageStudyConclusions, FluctuationIsTheMeanOverTheLayers) {
  const auto fluctuate = [&](const char* norm, const char* statistic, std::vector<double> means) {
    add_norm_results(norm, {1.0, 1.0});
    for (std::size_t i = 0; i < means.size(); ++i) {
      auto& result =
          results_.at(cell_name(cell_of({}, norm, "1e-2", i + 1, RunPurpose::test))).result;
      result.fluctuation = {{"final_norm", statistic, means[i], {}}};
    }
  };
  fluctuate("batch_norm", "variance", {0.5, 0.51});
  fluctuate("power_norm", "quadratic_mean", {0.3, 0.3});
  EXPECT_EQ(verdict("p3"), Verdict::holds);
  fluctuate("power_norm", "quadratic_mean", {0.7, 0.7});
  EXPECT_EQ(verdict("p3"), Verdict::fails);
  diverge("batch_norm", 1);
  EXPECT_EQ(verdict("p3"), Verdict::not_run);
}

TEST_F(LanguageStudyConclusions, TranslatorsAreComparedByBleu) {
  EXPECT_EQ(statements(kTranslatorCondition.task).size(), statements(Condition().task).size() + 3);
  const auto verdict_of = [&](const char* id) {
    return find(id, results_, kTranslatorCondition).verdict;
  };
  for (const char* id : {"b1", "b2", "b3"}) EXPECT_EQ(verdict_of(id), Verdict::not_run);
  add_tested_runs(results_, kTranslatorCondition, "layer_norm", {1.0, 1.1, 1.2});
  add_tested_runs(results_, kTranslatorCondition, "power_norm", {0.9, 1.0, 1.1});
  add_tested_runs(results_, kTranslatorCondition, "batch_norm", {0.8, 0.9, 1.0});
  add_tested_runs(results_, kTranslatorCondition, kReleasedPlacement, {1.1, 1.2, 1.3});
  EXPECT_EQ(verdict_of("b1"), Verdict::holds);
  EXPECT_EQ(verdict_of("b2"), Verdict::fails);
  EXPECT_EQ(verdict_of("b3"), Verdict::fails);
  EXPECT_EQ(verdict_of("p1"), Verdict::holds);
  EXPECT_THAT(find("b1", results_, kTranslatorCondition).numbers,
              HasSubstr("test BLEU of power_norm less that of layer_norm: +1 ["));
  // If the translator diverged, it counts as having the lower BLEU.
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Cell cell = cell_of(kTranslatorCondition, "batch_norm", "1e-2", seed, RunPurpose::test);
    add(results_, cell, diverged(sample_result(cell, 1)));
  }
  EXPECT_EQ(verdict_of("b2"), Verdict::holds);
}

TEST_F(LanguageStudyConclusions, C1_RejectsAnUnknownStatement) {
  EXPECT_THAT(normproof::ref::numeric::contract_message([&] { find("b1", results_, {}); }),
              HasSubstr("(C1)"));
  EXPECT_THAT(normproof::ref::numeric::contract_message([&] { find("p4", results_, {}); }),
              HasSubstr("(C1)"));
}

}  // namespace
}  // namespace normproof::tests::verification::studies::language
