#include "verification/cli/commands/study_language_figures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/language_study/sample_results.hpp"

namespace normproof::tests::verification::cli::commands {
namespace {

using namespace normproof::verification::cli::commands;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
namespace language_sample = normproof::tests::verification::language_study;

TEST(LanguageFigures, AreNothingWhereNothingWasTested) {
  normproof::verification::language_study::Results results;
  EXPECT_FALSE(learning_figure(results, {}));
  EXPECT_FALSE(fluctuation_figure(results, {}));
  language_sample::add_choosing(results, {}, "none");
  EXPECT_FALSE(learning_figure(results, {}));
}

TEST(LanguageFigures, HaveALineANorm) {
  normproof::verification::language_study::Results results;
  language_sample::add_tested(results, {}, "layer_norm", {1.0, 1.1});
  language_sample::add_tested(results, {}, "batch_norm", {1.0, 1.1});
  for (auto& [name, finished] : results)
    if (finished.cell.norm == "batch_norm")
      finished.result.fluctuation = {{"final_norm", "variance", 0.5, {0.75, 0.25}},
                                     {"final_norm", "mean", 0.5, {0.75, 0.25}}};
  const auto learning = learning_figure(results, {});
  ASSERT_TRUE(learning);
  EXPECT_EQ(learning->file, "language-pre-norm-learning.svg");
  EXPECT_EQ(learning->drawing.failure, "");
  EXPECT_THAT(learning->drawing.svg, AllOf(HasSubstr(">layer_norm<"), HasSubstr(">batch_norm<")));
  const auto fluctuation = fluctuation_figure(results, {});
  ASSERT_TRUE(fluctuation);
  EXPECT_EQ(fluctuation->file, "language-pre-norm-fluctuation.svg");
  EXPECT_THAT(fluctuation->drawing.svg,
              AllOf(HasSubstr(">batch_norm<"), Not(HasSubstr(">layer_norm<"))));
}

}  // namespace
}  // namespace normproof::tests::verification::cli::commands
