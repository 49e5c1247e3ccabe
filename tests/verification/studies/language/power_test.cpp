#include "verification/studies/language/power.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/numeric/elementary.hpp"
#include "tests/verification/studies/language/sample_results.hpp"

namespace normproof::tests::verification::studies::language {
namespace {

using namespace normproof::verification::studies::language;

TEST(LanguageStudyPower, UsesPairedSeedsAtTheChosenRates) {
  Results results;
  add_tested_runs(results, {}, "layer_norm", {1.0, 1.0, 1.0});
  add_tested_runs(results, {}, "power_norm", {0.9, 1.0, 1.2});
  const auto rows = power_rows(results, validation_perplexity, 7);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].norm, "power_norm");
  EXPECT_EQ(rows[0].pairs, 3u);
  using normproof::ref::numeric::exp;
  const double e = exp(1.0);
  EXPECT_DOUBLE_EQ(rows[0].deviation, *sample_deviation({exp(0.9) - e, 0.0, exp(1.2) - e}));
  EXPECT_EQ(rows[0].detectable, detectable_difference(rows[0].deviation, 7));
  EXPECT_DOUBLE_EQ(rows[0].layer_norm_mean, e);
}

TEST(LanguageStudyPower, DecidingSeedsSufficeForAnEstimate) {
  Results results;
  add_rate_deciding_runs(results, {}, "layer_norm");
  add_rate_deciding_runs(results, {}, "dyt");
  ASSERT_EQ(power_rows(results, validation_perplexity, 5).size(), 1u);
  EXPECT_EQ(power_rows(results, validation_perplexity, 5)[0].pairs, 2u);
  results.erase(cell_name(cell_of({}, "dyt", "3e-3", 1, RunPurpose::validation)));
  EXPECT_TRUE(power_rows(results, validation_perplexity, 5).empty());
}

TEST(LanguageStudyPower, CoversTheBleuOfTranslators) {
  Results results;
  add_tested_runs(results, {}, "layer_norm", {1.0, 1.0});
  add_tested_runs(results, {}, "dyt", {1.0, 1.0});
  EXPECT_TRUE(power_rows(results, validation_bleu, 5).empty());
  add_tested_runs(results, kTranslatorCondition, "layer_norm", {1.0, 1.0, 1.0});
  add_tested_runs(results, kTranslatorCondition, "dyt", {0.9, 1.0, 1.2});
  const auto rows = power_rows(results, validation_bleu, 5);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].condition, kTranslatorCondition);
  EXPECT_DOUBLE_EQ(rows[0].deviation, *sample_deviation({1.0, 0.0, -2.0}));
  EXPECT_EQ(rows[0].layer_norm_mean, 30);
}

TEST(LanguageStudyPower, IgnoresRunsThatTraceDynamics) {
  Results results;
  add_rate_deciding_runs(results, {}, "layer_norm");
  add_rate_deciding_runs(results, {}, "dyt");
  const Cell traced = dynamics_cell({}, "dyt", "1e-2");
  add(results, traced, sample_result(traced, 2.0));
  EXPECT_EQ(power_rows(results, validation_perplexity, 5)[0].deviation, 0);
}

// The losses on the test part must have no influence.
TEST(LanguageStudyPower, IgnoresLossesOnTheTestPart) {
  Results results;
  add_tested_runs(results, {}, "layer_norm", {1.0, 1.0});
  add_tested_runs(results, {}, "dyt", {1.0, 1.0});
  for (auto& [name, finished] : results)
    if (finished.cell.purpose == RunPurpose::test)
      finished.result.test_loss = 0.01 * static_cast<double>(name.size() * finished.cell.seed);
  EXPECT_EQ(power_rows(results, validation_perplexity, 5)[0].deviation, 0);
}

}  // namespace
}  // namespace normproof::tests::verification::studies::language
