#include "verification/cli/study/study_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/verification/studies/published/sample_results.hpp"
#include "verification/support/report/html.hpp"
#include "verification/support/report/markdown.hpp"

namespace normproof::tests::verification::cli::study {
namespace {

using namespace normproof::verification::cli;
using namespace normproof::verification::cli::study;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
namespace rendered = normproof::verification::support::report;
namespace sample = normproof::tests::verification::studies::published;
namespace study = normproof::verification::studies::published;

/// Returns the results of two training runs (cells). With LayerNorm, training converged, as
/// published. Without a norm, training did not converge, although the published run did.
study::Results results_of_two_cells() {
  study::Results results;
  sample::add_table_cell(results, 1, "layer_norm", "0.1", true);
  sample::add_table_cell(results, 1, "none", "0.1", false);
  return results;
}

TEST(StudyReport, ComparesEachTableEntryWithThePublishedOne) {
  const std::string page = rendered::markdown(
      study_document(results_of_two_cells(), sample::evenly_split_class_counts()));
  EXPECT_THAT(
      page, AllOf(HasSubstr("2 cells of 1 protocol"), HasSubstr("## Protocol corrected"),
                  HasSubstr("published entries: 1 the same here, 1 not. The loss"),
                  HasSubstr("| 0.1 | ✓ 0.500/0.250 (published ✓) | ✗ 0.500/0.250 (published ✓) |"),
                  HasSubstr("| Table 1: 1 layer, width 32 | 0.1 (0.1) | none of those run (0.1) |"),
                  HasSubstr("corrected/1x32/none/rate-0.1/seed-42"),
                  HasSubstr("normproof study run --out DIR --cells NAME"),
                  HasSubstr("is 0.6931 nats by the training sentences, 0.6931 by all; the"),
                  HasSubstr("The least mean loss of a last epoch is 1.5000 nats, of "
                            "corrected/1x32/layer_norm/rate-0.1/seed-42.")));
  EXPECT_THAT(page, AllOf(HasSubstr("| ✓ holds | · not run |"), HasSubstr("| ✗ does not |"),
                          HasSubstr("seed 42: table 1: 0.1 against no rate of those run; not ")));
  EXPECT_THAT(page, Not(HasSubstr("![")));  // no cell of a figure was run
}

TEST(StudyReport, ReportsDivergedCellsAndDisagreeingSeeds) {
  study::Results results = results_of_two_cells();
  study::Cell cell = results.begin()->second.cell;
  cell.seed = 43;
  normproof::verification::studies::published::CellResult diverged =
      sample::sample_result(cell, {2});
  diverged.epochs.clear();
  diverged.diverged = normproof::verification::studies::published::Divergence{
      .step = 2, .sentence = "the loss is inf"};
  sample::add(results, cell, diverged);
  const rendered::Document document = study_document(results, sample::evenly_split_class_counts());
  EXPECT_THAT(rendered::markdown(document),
              AllOf(HasSubstr("the loss is inf"), HasSubstr("± 1/2 0.500/0.250 (")));
  EXPECT_THAT(rendered::html(document),
              AllOf(HasSubstr("class=\"mixed\""), HasSubstr("not finite at step 2")));
}

TEST(StudyReport, CountsCellsThatNoTableOrFigureShows) {
  study::Results results = results_of_two_cells();
  const auto page = [&] {
    return rendered::markdown(study_document(results, sample::evenly_split_class_counts()));
  };
  EXPECT_THAT(page(), AllOf(HasSubstr("rate-0.1/seed-42 | table 1 |"),
                            Not(HasSubstr("no table and no figure"))));
  normproof::verification::studies::published::Cell cell = results.begin()->second.cell;
  cell.steps = 20;
  sample::add(results, cell, sample::sample_result(cell, {2}));
  EXPECT_THAT(page(), AllOf(HasSubstr("1 cell stands in no table and no figure"),
                            HasSubstr("steps-20 | – |")));
}

TEST(StudyReport, JsonSummaryHasTheNumbersOfTheReport) {
  const auto summary = study_summary(results_of_two_cells(), sample::evenly_split_class_counts());
  EXPECT_EQ(summary.at("cells"), 2);
  const auto& own = summary.at("protocols").at(0);
  EXPECT_EQ(own.at("protocol"), "corrected");
  EXPECT_EQ(own.at("agreement").at("agree"), 1);
  EXPECT_EQ(own.at("tables").at(0).at("highest_rate").at("none"), "none of those run");
  EXPECT_EQ(own.at("statements").at("a2").at("verdict"), "holds");
  EXPECT_EQ(summary.at("published").at("e2"), "does not");
}

}  // namespace
}  // namespace normproof::tests::verification::cli::study
