#include "verification/cli/study/study_figures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/studies/published/sample_results.hpp"

namespace normproof::tests::verification::cli::study {
namespace {

using namespace normproof::verification::cli;
using namespace normproof::verification::cli::study;
using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;
namespace sample = normproof::tests::verification::studies::published;
namespace study = normproof::verification::studies::published;

normproof::verification::studies::published::Results make_results_with_curves(const char* norm) {
  normproof::verification::studies::published::Cell cell;
  cell.norm = norm;
  cell = normproof::verification::studies::published::curves_cell(cell, 2, 3200);
  normproof::verification::studies::published::CellResult result =
      sample::sample_result(cell, {2, 1});
  result.steps[0].lipschitz = result.steps[0].smoothness = 0.5;
  result.dynamics.push_back({"layers.0.norm1",
                             {{"lipschitz_batch_norm", {3.0, 1.0}},
                              {"lipschitz_power_norm", {2.0, 2.0}},
                              {"max_weighted_gamma", {0.25, 0.5}},
                              {"psi_least", {0.5, 0.25}},
                              {"gradient_share", {std::nullopt, std::nullopt}}},
                             {{"mean", 0.125}}});
  normproof::verification::studies::published::Results results;
  sample::add(results, cell, result);
  return results;
}

TEST(StudyFigures, AreAbsentIfNothingWasRun) {
  EXPECT_FALSE(gradient_figure({}, {}, 2));
  EXPECT_FALSE(curve_figure({}, {}, sample::evenly_split_class_counts(), 4));
  EXPECT_FALSE(dynamics_figure({}, {}, {"none"}, {"lipschitz"}, "t"));
  EXPECT_THAT(dynamics_table({}, {}).rows, SizeIs(0));
}

TEST(StudyFigures, HaveOneCurvePerNormAndThePublishedValues) {
  const study::Results results = make_results_with_curves("batch_norm");
  for (const std::size_t number : {4, 5, 6}) {
    const auto figure = curve_figure(results, {}, sample::evenly_split_class_counts(), number);
    ASSERT_TRUE(figure);
    EXPECT_EQ(figure->file, "corrected-figure-" + std::to_string(number) + ".svg");
    EXPECT_EQ(figure->drawing.failure, "");
    EXPECT_THAT(figure->drawing.svg,
                AllOf(HasSubstr("batch_norm, published"), HasSubstr(">batch_norm<")));
  }
  EXPECT_THAT(curve_figure(results, {}, sample::evenly_split_class_counts(), 4)->drawing.svg,
              HasSubstr("entropy of the weighted prior"));
}

TEST(StudyFigures, GradientsAreNamedAsInThePublishedFigures) {
  study::Results results;
  for (const std::uint64_t seed : {1, 2}) {
    normproof::verification::studies::published::Cell cell =
        normproof::verification::studies::published::gradients_cell({}, 1, 3200);
    cell.seed = seed;
    normproof::verification::studies::published::CellResult result;
    result.initial_gradients = {{"embedding.weight", 1.0 + static_cast<double>(seed)},
                                {"layers.0.feed_forward.second.bias", 3.0}};
    sample::add(results, cell, result);
  }
  const auto figure = gradient_figure(results, {}, 2);
  ASSERT_TRUE(figure);
  EXPECT_THAT(figure->drawing.svg, AllOf(HasSubstr("embedding W"), HasSubstr("1 fc2 b"),
                                         HasSubstr("layer_norm, published")));
  EXPECT_THAT(figure->caption, HasSubstr("over 2 seeds"));
  EXPECT_FALSE(gradient_figure(results, {}, 3));
}

TEST(StudyFigures, TableCountsTheStepsAtWhichPowerNormIsSmoother) {
  const study::Results results = make_results_with_curves("power_norm");
  const auto table = dynamics_table(results, {});
  ASSERT_THAT(table.rows, SizeIs(1));
  std::vector<std::string> texts;
  for (const auto& cell : table.rows[0].cells) texts.push_back(cell.text);
  EXPECT_THAT(texts, testing::ElementsAre("power_norm", "layers.0.norm1", "0.125", "–", "–",
                                          "1 of 2", "0.5", "–", "0.25", "–", "–", "–"));
  const auto figure =
      dynamics_figure(results, {}, {"power_norm"}, {"lipschitz_power_norm"}, "Constants");
  ASSERT_TRUE(figure);
  EXPECT_THAT(figure->drawing.svg, HasSubstr("power_norm layers.0.norm1: lipschitz_power_norm"));
}

}  // namespace
}  // namespace normproof::tests::verification::cli::study
