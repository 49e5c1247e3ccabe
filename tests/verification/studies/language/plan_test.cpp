#include "verification/studies/language/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/verification/studies/language/sample_results.hpp"

namespace normproof::tests::verification::studies::language {
namespace {

using namespace normproof::verification::studies::language;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> enum_names(const std::vector<Cell>& cells) {
  std::vector<std::string> names;
  for (const Cell& cell : cells) names.push_back(cell_name(cell));
  return names;
}

TEST(LanguageStudyPlan, EveryNormIsValidatedAtEveryRate) {
  const auto names = enum_names(rate_selection_cells({}));
  EXPECT_EQ(names.size(), 2u * (8 + 9) * 3 * 2);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  EXPECT_EQ(names.front(), "language/post/layer_norm/rate-3e-3/seed-1");
  Selection quick;
  quick.tasks = {normproof::verification::training::Task::language};
  quick.norms = {"dyt"};
  quick.placements = {normproof::ref::model::NormPlacement::pre};
  quick.size = Size::quick;
  EXPECT_EQ(enum_names(rate_selection_cells(quick)).back(),
            "language/pre/dyt/rate-3e-2/seed-2/quick");
  EXPECT_EQ(rate_selection_cells(quick).size(), 6u);
}

TEST(LanguageStudyPlan, EachTaskUsesOnlyItsNorms) {
  Selection selection;
  selection.norms = {kReleasedPlacement};
  selection.placements = {normproof::ref::model::NormPlacement::pre};
  const auto names = enum_names(rate_selection_cells(selection));
  EXPECT_EQ(names.size(), 6u);
  EXPECT_EQ(names.front(), "translate/pre/power_norm_released+layer_norm/rate-3e-3/seed-1");
  selection.tasks = {normproof::verification::training::Task::language};
  EXPECT_THAT(rate_selection_cells(selection), IsEmpty());
}

TEST(LanguageStudyPlan, ChosenRateIsTestedAtEverySeed) {
  Selection selection;
  selection.norms = {"dyt", "none"};
  selection.placements = {normproof::ref::model::NormPlacement::pre};
  selection.seeds = 3;
  EXPECT_THAT(test_cells(selection, {}), IsEmpty());
  Results results;
  add_rate_deciding_runs(results, {}, "dyt");
  EXPECT_THAT(enum_names(test_cells(selection, results)),
              ElementsAre("language/pre/dyt/rate-1e-2/seed-1/test",
                          "language/pre/dyt/rate-1e-2/seed-2/test",
                          "language/pre/dyt/rate-1e-2/seed-3/test"));
  EXPECT_THAT(enum_names(dynamics_cells(selection, results)),
              ElementsAre("language/pre/dyt/rate-1e-2/seed-1/dynamics"));
  EXPECT_THAT(
      enum_names(list_cells_at_rejected_rates(selection, results)),
      ElementsAre("language/pre/dyt/rate-3e-3/seed-1", "language/pre/dyt/rate-3e-3/seed-2",
                  "language/pre/dyt/rate-3e-2/seed-1", "language/pre/dyt/rate-3e-2/seed-2"));
}

TEST(LanguageStudyPlan, TrainingCostsMoreThanTesting) {
  EXPECT_GT(cost({.size = Size::whole}), cost({.size = Size::quick}));
  EXPECT_GT(cost({.task = normproof::verification::training::Task::translate}), cost({}));
  EXPECT_LT(cost({.seed = 2, .purpose = RunPurpose::test}),
            cost({.seed = 3, .purpose = RunPurpose::test}));
  EXPECT_EQ(cost({.seed = 3, .purpose = RunPurpose::test}), cost({}));
}

}  // namespace
}  // namespace normproof::tests::verification::studies::language
