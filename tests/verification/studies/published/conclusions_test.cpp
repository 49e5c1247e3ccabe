#include "verification/studies/published/conclusions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/studies/published/sample_results.hpp"

namespace normproof::tests::verification::studies::published {
namespace {

using namespace normproof::verification::studies::published;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Cell cell_of(std::uint64_t seed, const std::string& norm = "layer_norm") {
  Cell cell;
  cell.seed = seed;
  cell.norm = norm;
  return cell;
}

Verdict verdict(const std::string& id, const Results& results) {
  return find(id, results, {}).verdict;
}

TEST(StudyConclusions, EveryVerdictIsNotRunIfThereAreNoResults) {
  for (const Statement& statement : statements()) {
    EXPECT_EQ(verdict(statement.id, {}), Verdict::not_run) << statement.id;
    EXPECT_FALSE(find_published_finding(statement.id).numbers.empty()) << statement.id;
  }
}

TEST(Find, C1_RejectsAnUnknownStatement) {
  EXPECT_EQ(normproof::ref::numeric::contract_message([] { find("z", {}, {}); }),
            "find: id is 'z'; expected one of statements() (C1)");
  EXPECT_EQ(normproof::ref::numeric::contract_message([] { find_published_finding("z"); }),
            "find_published_finding: id is 'z'; expected one of statements() (C1)");
}

// With the published tables and the values read from the published figures, every statement holds
// except e2. Figure 3 of the paper refutes e2: 17 / 11 against 340 / 305.
TEST(StudyConclusions, PublishedDataSupportsAllStatementsExceptE2) {
  for (const Statement& statement : statements())
    EXPECT_EQ(find_published_finding(statement.id).verdict,
              statement.id == "e2" ? Verdict::fails : Verdict::holds)
        << statement.id;
  EXPECT_EQ(find_published_finding("e2").numbers,
            "largest over smallest of five layers: 1.55 against 1.11");
}

TEST(StudyConclusions, RatesAreComparedOverTablesAndSeeds) {
  Results results;
  add_table_cell(results, 1, "layer_norm", "1", true);
  add_table_cell(results, 1, "layer_norm", "0.1", true);
  add_table_cell(results, 1, "none", "0.1", true);
  // At the only rate that both columns have, 0.1, both converge. The rate 1 was not run without a
  // norm, and five other tables may show a higher rate.
  EXPECT_EQ(verdict("a2", results), Verdict::not_run);
  add_table_cell(results, 1, "none", "1", false);
  EXPECT_EQ(verdict("a2", results), Verdict::holds);
  EXPECT_EQ(find("a2", results, {}).numbers,
            "seed 42: table 1: 1 against 0.1; not decided: tables 2, 3, 4, 5, 6");
  EXPECT_EQ(verdict("a1", results), Verdict::not_run);
  // Another table has a lower rate.
  add_table_cell(results, 3, "layer_norm", "1", false);
  add_table_cell(results, 3, "none", "1", true);
  EXPECT_EQ(verdict("a2", results), Verdict::fails);
  // Another seed gives the opposite outcome.
  add_table_cell(results, 1, "layer_norm", "1", true, cell_of(7));
  add_table_cell(results, 1, "none", "1", false, cell_of(7));
  EXPECT_EQ(verdict("a2", results), Verdict::unsettled);
}

TEST(StudyConclusions, StatementAboutDepthRequiresThatDepthAndNormBothMatter) {
  Results results;
  add_table_cell(results, 4, "none", "1", false);
  add_table_cell(results, 4, "layer_norm", "1", true);
  EXPECT_EQ(verdict("d", results), Verdict::not_run);  // nothing at one layer
  add_table_cell(results, 1, "none", "1", false);
  EXPECT_EQ(verdict("d", results), Verdict::not_run);  // lower rates are missing
  add_table_cell(results, 1, "none", "1", true);
  EXPECT_EQ(verdict("d", results), Verdict::holds);
  add_table_cell(results, 4, "layer_norm", "1", false);
  EXPECT_EQ(verdict("d", results), Verdict::not_run);
  add_table_cell(results, 4, "layer_norm", "10", false);
  add_table_cell(results, 4, "none", "10", true);
  EXPECT_EQ(verdict("d", results), Verdict::fails);
}

TEST(StudyConclusions, LossPeakExceedsThreeStepsOnEitherSide) {
  const auto peaks = [](const std::vector<double>& losses) {
    return find_loss_peaks(sample_result({}, losses));
  };
  EXPECT_THAT(peaks({9, 1, 1, 1, 1.26, 1, 1, 1}), ElementsAre(5U));
  EXPECT_THAT(peaks({9, 1, 1, 1, 1.25, 1, 1, 1}), IsEmpty());
  EXPECT_THAT(peaks({9, 1, 1, 1, 2, 1, 1, 1.7, 1, 1, 1, 3, 1, 1, 1}), ElementsAre(12U));
  EXPECT_THAT(peaks({9, 1, 1, 1, 2, 1, 1}), IsEmpty());  // the following losses may be as high
  EXPECT_THAT(peaks({9}), IsEmpty());
  Results results;
  const Cell cell = curves_cell(cell_of(42, "batch_norm"), 87, 3200);
  add(results, cell, sample_result(cell, {9, 1, 1, 1, 2, 1, 1, 1}));
  EXPECT_EQ(verdict("b", results), Verdict::holds);
  EXPECT_EQ(find("b", results, {}).numbers, "seed 42: peaks at 5");
  Cell other = cell;
  other.seed = 43;
  add(results, other, sample_result(other, std::vector<double>(87, 1)));
  EXPECT_EQ(verdict("b", results), Verdict::unsettled);
  // Curves with more steps replace those with fewer.
  other.steps = 88;
  add(results, other, sample_result(other, std::vector<double>(88, 1)));
  EXPECT_EQ(verdict("b", results), Verdict::fails);
  // A curve that diverged before the length of the published curve does not count.
  add(results, other, sample_result(other, std::vector<double>(86, 1)));
  EXPECT_EQ(verdict("b", results), Verdict::not_run);
  // A curve that ends before the published peaks does not show that there is no peak.
  Results brief;
  other.steps = 20;
  add(brief, other, sample_result(other, {9, 1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(verdict("b", brief), Verdict::not_run);
}

TEST(StudyConclusions, FiguresUseOnlyTheWidestCells) {
  Results results;
  for (const char* norm : {"none", "layer_norm"})
    for (const std::size_t width : {32, 320}) {
      if (width == 320 && std::string(norm) == "none") continue;
      for (const Cell& cell :
           {curves_cell(cell_of(42, norm), 2, width), gradients_cell(cell_of(42, norm), 5, width)})
        add(results, cell, sample_result(cell, {2, 1}));
    }
  ASSERT_EQ(find_curve_runs(results, {}, "layer_norm").size(), 1U);
  EXPECT_EQ(find_curve_runs(results, {}, "layer_norm")[0]->cell.d_ff, 320U);
  EXPECT_EQ(find_gradient_runs(results, {}, "layer_norm", 5).at(0)->cell.d_ff, 320U);
  EXPECT_THAT(find_curve_runs(results, {}, "none"), IsEmpty());  // a figure never mixes two widths
  EXPECT_THAT(find_gradient_runs(results, {}, "none", 5), IsEmpty());
  EXPECT_THAT(find_gradient_runs(results, {}, "layer_norm", 1), IsEmpty());
}

TEST(StudyConclusions, LipschitzAndSmoothnessAreComparedByTheirMeans) {
  Results results;
  const auto add_curve = [&](const char* norm, std::vector<double> values) {
    const Cell cell = curves_cell(cell_of(42, norm), 2, 3200);
    CellResult result = sample_result(cell, {2, 1});
    for (std::size_t i = 0; i < values.size(); ++i) {
      result.steps[i].lipschitz = values[i];
      result.steps[i].smoothness = 10 - values[i];
    }
    add(results, cell, result);
  };
  add_curve("batch_norm", {3, 1});
  add_curve("layer_norm", {2, 3});
  EXPECT_EQ(verdict("c1", results), Verdict::holds);
  EXPECT_EQ(find("c1", results, {}).numbers, "seed 42: 2 against 2.5");
  EXPECT_EQ(verdict("c2", results), Verdict::fails);
  add_curve("layer_norm", {2});  // a step without a value, hence no mean
  EXPECT_EQ(verdict("c1", results), Verdict::not_run);
  const Cell shorter = curves_cell(cell_of(42, "layer_norm"), 2, 3200);
  CellResult result = sample_result(shorter, {2});
  result.steps[0].lipschitz = 9;
  add(results, shorter, result);  // diverged, so that its mean is over other steps
  EXPECT_EQ(verdict("c1", results), Verdict::not_run);
}

TEST(StudyConclusions, GradientsAcrossDepthNeedNineteenOfTwentySeeds) {
  Results results;
  const auto add_gradients = [&](const char* norm, std::uint64_t seed, double last) {
    Cell cell = gradients_cell(cell_of(0, norm), 5, 3200);
    cell.seed = seed;
    CellResult result;
    for (int l = 0; l < 5; ++l)
      result.initial_gradients.emplace_back(
          "layers." + std::to_string(l) + ".feed_forward.second.weight", l == 4 ? last : 1);
    add(results, cell, result);
  };
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    add_gradients("layer_norm", seed, seed == 1 ? 4 : 2);
    add_gradients("batch_norm", seed, 3);
  }
  EXPECT_EQ(verdict("e1", results), Verdict::holds);
  EXPECT_THAT(find("e1", results, {}).numbers, HasSubstr("smaller by seed: 19 of 20"));
  add_gradients("layer_norm", 2, 4);
  EXPECT_EQ(verdict("e1", results), Verdict::unsettled);
  EXPECT_EQ(verdict("e2", results), Verdict::not_run);
}

}  // namespace
}  // namespace normproof::tests::verification::studies::published
