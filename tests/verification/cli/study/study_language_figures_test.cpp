#include "verification/cli/study/study_language_figures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/studies/language/sample_results.hpp"

namespace normproof::tests::verification::cli::study {
namespace {

using namespace normproof::verification::cli::study;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
namespace language_sample = normproof::tests::verification::studies::language;

TEST(LanguageStudyFigures, AreAbsentIfNothingWasTested) {
  normproof::verification::studies::language::Results results;
  EXPECT_FALSE(learning_figure(results, {}));
  EXPECT_TRUE(fluctuation_figures(results, {}).empty());
  EXPECT_FALSE(bleu_figure(results, {}));
  language_sample::add_rate_deciding_runs(results, {}, "none");
  EXPECT_FALSE(learning_figure(results, {}));
}

TEST(LanguageStudyFigures, HaveOneLinePerNorm) {
  normproof::verification::studies::language::Results results;
  language_sample::add_tested_runs(results, {}, "layer_norm", {1.0, 1.1});
  language_sample::add_tested_runs(results, {}, "batch_norm", {1.0, 1.1});
  for (auto& [name, finished] : results)
    if (finished.cell.norm == "batch_norm")
      finished.result.fluctuation = {{"final_norm", "variance", 0.5, {0.75, 0.25}},
                                     {"final_norm", "mean", 0.5, {0.75, 0.25}}};
  const auto learning = learning_figure(results, {});
  ASSERT_TRUE(learning);
  EXPECT_EQ(learning->file, "language-pre-norm-learning.svg");
  EXPECT_EQ(learning->drawing.failure, "");
  EXPECT_THAT(learning->drawing.svg, AllOf(HasSubstr(">layer_norm<"), HasSubstr(">batch_norm<")));
  const auto fluctuation = fluctuation_figures(results, {});
  ASSERT_EQ(fluctuation.size(), 1u);
  EXPECT_EQ(fluctuation[0].file, "language-pre-norm-fluctuation.svg");
  EXPECT_THAT(fluctuation[0].drawing.svg,
              AllOf(HasSubstr(">batch_norm<"), Not(HasSubstr(">layer_norm<"))));
  EXPECT_FALSE(bleu_figure(results, {}));
}

TEST(LanguageStudyFigures, FiguresOfNormInputsHaveOneLinePerNorm) {
  normproof::verification::studies::language::Results results;
  EXPECT_TRUE(norm_input_figures(results, {}).empty());
  for (const char* norm : {"layer_norm", "dyt"}) {
    language_sample::add_tested_runs(results, {}, norm, {1.0, 1.1});
    const auto cell = normproof::verification::studies::language::dynamics_cell({}, norm, "1e-2");
    auto result = language_sample::sample_result(cell, 1.0);
    result.fluctuation = {{"final_norm", "variance", 0.5, {0.75, 0.25}},
                          {"final_norm", "quadratic_mean", 0.5, {0.5, 0.125}}};
    language_sample::add(results, cell, result);
  }
  const auto figures = norm_input_figures(results, {});
  ASSERT_EQ(figures.size(), 2u);
  EXPECT_EQ(figures[0].file, "language-pre-norm-taken-variance.svg");
  EXPECT_EQ(figures[1].file, "language-pre-norm-taken-quadratic_mean.svg");
  for (const auto& figure : figures) {
    EXPECT_EQ(figure.drawing.failure, "");
    EXPECT_THAT(figure.drawing.svg, AllOf(HasSubstr(">layer_norm<"), HasSubstr(">dyt<")));
  }
  EXPECT_NE(figures[0].drawing.svg, figures[1].drawing.svg);
  EXPECT_TRUE(fluctuation_figures(results, {}).empty());
}

TEST(LanguageStudyFigures, TranslatorsHaveABleuFigureAndOneFigurePerSide) {
  using language_sample::kTranslatorCondition;
  normproof::verification::studies::language::Results results;
  language_sample::add_tested_runs(results, kTranslatorCondition, "batch_norm", {1.0, 1.1});
  for (auto& [name, finished] : results)
    finished.result.fluctuation = {{"encoder.final_norm", "variance", 0.5, {0.75, 0.25}}};
  const auto bleu = bleu_figure(results, kTranslatorCondition);
  ASSERT_TRUE(bleu);
  EXPECT_EQ(bleu->file, "translate-pre-norm-bleu.svg");
  EXPECT_THAT(bleu->drawing.svg, HasSubstr(">batch_norm<"));
  ASSERT_EQ(fluctuation_figures(results, kTranslatorCondition).size(), 1u);
  for (auto& [name, finished] : results)
    finished.result.fluctuation.push_back({"decoder.final_norm", "variance", 0.5, {0.5, 0.25}});
  const auto both = fluctuation_figures(results, kTranslatorCondition);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].file, "translate-pre-norm-encoder-fluctuation.svg");
  EXPECT_EQ(both[1].file, "translate-pre-norm-decoder-fluctuation.svg");
  EXPECT_NE(both[0].drawing.svg, both[1].drawing.svg);
}

}  // namespace
}  // namespace normproof::tests::verification::cli::study
