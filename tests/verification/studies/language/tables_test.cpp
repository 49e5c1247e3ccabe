#include "verification/studies/language/tables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/numeric/elementary.hpp"
#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/studies/language/sample_results.hpp"

namespace normproof::tests::verification::studies::language {
namespace {

using namespace normproof::verification::studies::language;
using normproof::ref::model::NormPlacement;
using normproof::ref::numeric::FileError;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(LanguageStudyTables, ResultsAreReadFromTheLinesOfAStore) {
  const Cell cell = cell_of({}, "none", "1e-2", 1, RunPurpose::test);
  const std::string line = result_line(sample_result(cell, 1.5));
  const Results results = read_results({{cell_name(cell), line}}, "f");
  EXPECT_EQ(results.at(cell_name(cell)).cell, cell);
  EXPECT_EQ(results.at(cell_name(cell)).result.test_loss, 1.5);
  const auto refused = [&](const std::string& name) {
    return normproof::ref::numeric::error_message<FileError>([&] {
      read_results({{name, line}}, "f");
    });
  };
  EXPECT_THAT(refused("language/pre/none/rate-1e-2/seed-2/test"), HasSubstr("says that it is of"));
  EXPECT_THAT(refused("language/pre"), HasSubstr("f: cell 'language/pre'"));
  EXPECT_NE(results_sha256({{"a", line}}), results_sha256({{"a", line + " "}}));
  EXPECT_EQ(results_sha256({{"a", line}}).size(), 64u);
}

TEST(LanguageStudyTables, ConditionsAreOrderedBySizeThenByPlacement) {
  Results results;
  const Condition quick{normproof::verification::training::Task::language, NormPlacement::pre,
                        Size::quick};
  const Condition post{normproof::verification::training::Task::language, NormPlacement::post,
                       Size::whole};
  add_rate_deciding_runs(results, quick, "none");
  add_rate_deciding_runs(results, {}, "none");
  add_rate_deciding_runs(results, post, "none");
  EXPECT_THAT(list_conditions(results), ElementsAre(post, Condition{}, quick));
  EXPECT_EQ(condition_name(post), "language, post-norm");
  EXPECT_EQ(condition_name(quick), "language, pre-norm, quick");
}

TEST(LanguageStudyTables, RowsUseTheChosenRateAndCompareWithLayerNorm) {
  Results results;
  add_tested_runs(results, {}, "layer_norm", {1.0, 1.1, 1.2});
  add_tested_runs(results, {}, "power_norm", {0.9, 1.0, 1.1, 1.2});
  const Cell other = cell_of({}, "power_norm", "3e-2", 1, RunPurpose::test);
  add(results, other, sample_result(other, 9));
  const auto rows = condition_rows(results, {});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].norm, "layer_norm");
  EXPECT_FALSE(rows[0].perplexity.beside_layer_norm);
  EXPECT_EQ(rows[1].rate, "1e-2");
  EXPECT_EQ(rows[1].tests.size(), 4u);
  using normproof::ref::numeric::exp;
  EXPECT_DOUBLE_EQ(*rows[0].perplexity.mean, (exp(1.0) + exp(1.1) + exp(1.2)) / 3);
  EXPECT_DOUBLE_EQ(*rows[0].bits_per_character, 1.1 / normproof::ref::numeric::log(2.0));
  EXPECT_EQ(rows[0].perplexity.least, exp(1.0));
  EXPECT_EQ(rows[0].perplexity.largest, exp(1.2));
  ASSERT_TRUE(rows[1].perplexity.beside_layer_norm);
  EXPECT_EQ(rows[1].perplexity.beside_layer_norm->count, 3u);
  EXPECT_DOUBLE_EQ(rows[1].perplexity.beside_layer_norm->mean, (exp(0.9) - exp(1.2)) / 3);
}

TEST(LanguageStudyTables, RowsOfTranslatorsHaveBleu) {
  Results results;
  add_tested_runs(results, kTranslatorCondition, "layer_norm", {1.0, 1.1, 1.2});
  add_tested_runs(results, kTranslatorCondition, kReleasedPlacement, {0.9, 1.0, 1.3});
  const Cell cell = cell_of(kTranslatorCondition, "layer_norm", "1e-2", 3, RunPurpose::test);
  add(results, cell, diverged(sample_result(cell, 1.2)));
  const auto rows = condition_rows(results, kTranslatorCondition);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].norm, kReleasedPlacement);
  EXPECT_DOUBLE_EQ(*rows[0].bleu.mean, 29.5);
  EXPECT_EQ(*rows[0].bleu.least, 29);
  EXPECT_EQ(*rows[0].bleu.largest, 30);
  EXPECT_DOUBLE_EQ(rows[1].bleu.beside_layer_norm->mean, 1);
  EXPECT_EQ(rows[1].bleu.beside_layer_norm->count, 2u);
  EXPECT_FALSE(rows[0].bits_per_character);
  EXPECT_FALSE(validation_bleu(results.at(cell_name(cell)).result));
  EXPECT_EQ(condition_name(kTranslatorCondition), "translate, pre-norm");
  add_tested_runs(results, {}, "layer_norm", {1.0, 1.1});
  EXPECT_THAT(list_conditions(results), ElementsAre(Condition{}, kTranslatorCondition));
  EXPECT_FALSE(condition_rows(results, {})[0].bleu.mean);
}

TEST(LanguageStudyTables, DivergedSeedHasNoPerplexity) {
  Results results;
  add_tested_runs(results, {}, "layer_norm", {1.0, 1.0, 1.0});
  add_tested_runs(results, {}, "batch_norm", {1.0, 1.0, 1.0});
  const Cell cell = cell_of({}, "batch_norm", "1e-2", 2, RunPurpose::test);
  add(results, cell, diverged(sample_result(cell, 1)));
  const PairedDifferences paired =
      pair_seeds(results, {}, "batch_norm", "layer_norm", test_perplexity);
  EXPECT_THAT(paired.differences, ElementsAre(0, 0));
  EXPECT_EQ(paired.second_only, 1u);
  EXPECT_EQ(paired.first_only, 0u);
  EXPECT_EQ(condition_rows(results, {})[1].diverged, 1u);
  EXPECT_FALSE(validation_perplexity(results.at(cell_name(cell)).result));
}

TEST(LanguageStudyTables, FluctuationIsTheMeanOverTheLayers) {
  CellResult result;
  result.fluctuation = {{"a", "variance", 1.0, {}},
                        {"a", "mean", 9.0, {}},
                        {"b", "variance", 2.0, {}},
                        {"c", "variance", std::nullopt, {}}};
  EXPECT_EQ(mean_fluctuation(result, "variance"), 1.5);
  EXPECT_FALSE(mean_fluctuation(result, "quadratic_mean"));
}

TEST(LanguageStudyTables, NormWithoutAChosenRateHasNoTests) {
  Results results;
  const Cell cell = cell_of({}, "none", "1e-2", 1, RunPurpose::test);
  add(results, cell, sample_result(cell, 1));
  EXPECT_TRUE(find_tests_at_chosen_rate(results, {}, "none").empty());
  EXPECT_TRUE(condition_rows(results, {}).empty());
}

}  // namespace
}  // namespace normproof::tests::verification::studies::language
