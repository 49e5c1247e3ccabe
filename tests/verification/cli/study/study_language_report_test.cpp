#include "verification/cli/study/study_language_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/verification/studies/language/sample_results.hpp"
#include "verification/support/report/markdown.hpp"

namespace normproof::tests::verification::cli::study {
namespace {

using namespace normproof::verification::cli::study;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
namespace language_sample = normproof::tests::verification::studies::language;

normproof::verification::studies::language::Results results_of_three_seeds() {
  normproof::verification::studies::language::Results results;
  language_sample::add_tested_runs(results, {}, "layer_norm", {1.0, 1.1, 1.2});
  language_sample::add_tested_runs(results, {}, "power_norm", {0.9, 1.0, 1.1});
  for (auto& [name, finished] : results)
    if (finished.cell.norm == "power_norm") {
      finished.result.max_weighted_gamma = 1.25;
      finished.result.fluctuation = {{"final_norm", "quadratic_mean", 0.375, {0.5}}};
    }
  return results;
}

std::string render_report(const normproof::verification::studies::language::Results& results) {
  return normproof::verification::support::report::markdown(language_document(results, "abc"));
}

TEST(LanguageStudyReport, ComparesEveryNormWithLayerNormAndThePaper) {
  const std::string text = render_report(results_of_three_seeds());
  EXPECT_THAT(text, AllOf(HasSubstr("18 cells, sha256 of all results abc"), HasSubstr("✓ holds"),
                          HasSubstr("| layer_norm | 1e-2 | 3 | 0 | 3.0142 | 2.7183 | 3.3201 |"),
                          HasSubstr("-0.287 [-0.358, -0.216] | -5.6 (PTB), -3.0 (WikiText-103) |"),
                          HasSubstr("| power_norm | 2.0000 | > 1.0000 | 2.0000 |"),
                          HasSubstr("| power_norm | final_norm | quadratic_mean | 0.3750 |"),
                          HasSubstr("| power_norm | 1.2500 |"), HasSubstr("3 paired seeds can see"),
                          HasSubstr("language/pre/power_norm/rate-1e-2/seed-3/test")));
}

TEST(LanguageStudyReport, SeedWithResultsOfOneNormCountsOnlyInTheMeanOfThatNorm) {
  auto results = results_of_three_seeds();
  const auto cell = normproof::verification::studies::language::cell_of(
      {}, "power_norm", "1e-2", 4, normproof::verification::studies::language::RunPurpose::test);
  language_sample::add(results, cell, language_sample::sample_result(cell, 1.0));
  EXPECT_THAT(render_report(results), AllOf(HasSubstr("| power_norm | 1e-2 | 4 | 0 | 2.7251 |"),
                                            HasSubstr("-0.287 [-0.358, -0.216] over 3 |"),
                                            HasSubstr("3 paired seeds can see")));
}

TEST(LanguageStudyReport, HasStatisticsOfNormInputsAndOfTheGradientBound) {
  auto results = results_of_three_seeds();
  for (const char* norm : {"layer_norm", "power_norm"}) {
    const auto cell = normproof::verification::studies::language::dynamics_cell({}, norm, "1e-2");
    auto result = language_sample::sample_result(cell, 1.0);
    result.fluctuation = {{"final_norm", "mean", 0.125, {}},
                          {"final_norm", "quadratic_mean", 0.25, {0.5}},
                          {"final_norm", "variance", 0.75, {0.5}}};
    if (std::string(norm) == "power_norm")
      result.gradient_bound = {{"final_norm", 0.625, 0.5, {0.5, std::nullopt, 0.25}}};
    language_sample::add(results, cell, result);
  }
  const std::string text = render_report(results);
  EXPECT_THAT(text, AllOf(HasSubstr("| layer_norm | final_norm | 0.1250 | 0.7500 | 0.2500 |"),
                          HasSubstr("| power_norm | final_norm | 0.1250 | 0.7500 | 0.2500 |"),
                          HasSubstr("| power_norm | final_norm | 0.3750 | 0.6250 | 50.0 % |"),
                          HasSubstr("| layer_norm | 1e-2 | 3 | 0 | 3.0142 |")));
  EXPECT_THAT(render_report(results_of_three_seeds()),
              Not(HasSubstr("What every norm layer takes")));
}

TEST(LanguageStudyReport, TranslatorsHaveBleuComparedWithThePaper) {
  using language_sample::kTranslatorCondition;
  normproof::verification::studies::language::Results results;
  language_sample::add_tested_runs(results, kTranslatorCondition, "layer_norm", {1.0, 1.1, 1.2});
  language_sample::add_tested_runs(results, kTranslatorCondition,
                                   normproof::verification::studies::language::kReleasedPlacement,
                                   {0.9, 1.0, 1.2});
  const std::string text = render_report(results);
  EXPECT_THAT(
      text,
      AllOf(HasSubstr("causal language model and of a translator"),
            HasSubstr("| layer_norm | 1e-2 | 3 | 0 | 29.00 | 28.00 | 30.00 | – | – | 3.0142 | – |"),
            HasSubstr("| power_norm_released+layer_norm | 1e-2 | 3 | 0 | 29.67 | 28.00 | 31.00 | "
                      "+0.667 [-0.768, +2.101] | +0.4 (IWSLT14), +0.6 (WMT14) |"),
            HasSubstr("in BLEU 3 paired seeds can see"), HasSubstr("| of layer_norm's BLEU |"),
            HasSubstr("| validation BLEU | test BLEU |"), HasSubstr("is above LayerNorm's")));
  language_sample::add_tested_runs(results, {}, "layer_norm", {1.0, 1.1, 1.2});
  EXPECT_THAT(render_report(results),
              HasSubstr("| PowerNorm's test BLEU is above LayerNorm's | – | · not run |"));
  EXPECT_THAT(render_report(results_of_three_seeds()), Not(HasSubstr("BLEU")));
  const auto summary = language_summary(results, "abc");
  const auto& norms = summary.at("conditions").at(1).at("norms");
  EXPECT_EQ(norms.at("layer_norm").at("bleu"), 29.0);
  EXPECT_GT(
      norms.at("power_norm_released+layer_norm").at("bleu_beside_layer_norm").at(0).get<double>(),
      0);
  EXPECT_FALSE(summary.at("conditions").at(0).at("norms").at("layer_norm").contains("bleu"));
}

TEST(LanguageStudyReport, WarnsIfTheChosenRateIsTheSmallestOrLargest) {
  auto results = results_of_three_seeds();
  EXPECT_THAT(render_report(results), Not(HasSubstr("may lie beyond")));
  for (auto& [name, finished] : results)
    if (finished.cell.learning_rate == "3e-2" && finished.cell.norm == "power_norm")
      finished.result.validation_loss = {0.5};
  EXPECT_THAT(render_report(results),
              HasSubstr("The rate chosen is the least or the largest there is of power_norm: "
                        "a better one may lie beyond."));
}

TEST(LanguageStudyReport, MentionsARunThatDiverged) {
  auto results = results_of_three_seeds();
  for (auto& [name, finished] : results)
    if (finished.cell.learning_rate == "3e-2")
      finished.result = language_sample::diverged(std::move(finished.result));
  EXPECT_THAT(render_report(results),
              AllOf(HasSubstr("| > 1.0000 | diverged 2/2 |"), HasSubstr("step 4: a sentence")));
}

TEST(LanguageStudyReport, HasNoTableForRunsThatAreMissing) {
  normproof::verification::studies::language::Results results;
  language_sample::add_rate_deciding_runs(results, {}, "dyt");
  EXPECT_THAT(render_report(results), AllOf(HasSubstr("· not run"), HasSubstr("rate by rate"),
                                            Not(HasSubstr("The test part"))));
}

TEST(LanguageStudyReport, JsonSummaryHasTheNumbersOfTheReport) {
  const auto summary = language_summary(results_of_three_seeds(), "abc");
  EXPECT_EQ(summary.at("sha256"), "abc");
  const auto& condition = summary.at("conditions").at(0);
  EXPECT_EQ(condition.at("condition"), "language, pre-norm");
  EXPECT_EQ(condition.at("norms").at("power_norm").at("rate"), "1e-2");
  EXPECT_LT(condition.at("norms").at("power_norm").at("beside_layer_norm").at(2), 0);
  EXPECT_EQ(condition.at("statements").at("p1").at("verdict"), "holds");
  EXPECT_EQ(condition.at("statements").at("p2").at("verdict"), "not run");
}

}  // namespace
}  // namespace normproof::tests::verification::cli::study
