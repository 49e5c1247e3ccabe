#include "verification/studies/published/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "ref/numeric/errors.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::tests::verification::studies::published {
namespace {

using namespace normproof::verification::studies::published;
using normproof::ref::numeric::error_message;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;

std::set<std::string> enum_names(const std::vector<Cell>& cells) {
  std::set<std::string> names;
  for (const Cell& cell : cells) names.insert(cell_name(cell));
  return names;
}

TEST(StudyPlan, TablesOfThreeNormsHaveThePublished126Cells) {
  Selection selection;
  selection.norms = {"layer_norm", "batch_norm", "none"};
  selection.figures = {};
  selection.initialization = false;
  const std::vector<Cell> cells = plan(selection);
  EXPECT_EQ(cells.size(), 126U);
  EXPECT_EQ(enum_names(cells).size(), 126U);
  EXPECT_EQ(cell_name(cells.front()), "corrected/1x32/layer_norm/rate-10/seed-42");
  EXPECT_EQ(cell_name(cells.back()), "corrected/5x3200/none/rate-1e-4/seed-42");
}

TEST(StudyPlan, FiguresAndInitializationsAddTheirCells) {
  Selection selection;
  selection.tables = {};
  selection.norms = {"batch_norm"};
  selection.gradient_seeds = 3;
  selection.seeds = 2;
  EXPECT_THAT(enum_names(plan(selection)),
              ElementsAre("corrected/1x320/batch_norm/rate-0.1/seed-42/uniform-0.1",
                          "corrected/1x320/batch_norm/rate-0.1/seed-42/uniform-100",
                          "corrected/1x320/batch_norm/rate-0.1/seed-43/uniform-0.1",
                          "corrected/1x320/batch_norm/rate-0.1/seed-43/uniform-100",
                          "corrected/1x3200/batch_norm/rate-0.1/seed-1/steps-0",
                          "corrected/1x3200/batch_norm/rate-0.1/seed-2/steps-0",
                          "corrected/1x3200/batch_norm/rate-0.1/seed-3/steps-0",
                          "corrected/1x3200/batch_norm/rate-1e-4/seed-42/curves/dynamics",
                          "corrected/1x3200/batch_norm/rate-1e-4/seed-43/curves/dynamics",
                          "corrected/5x3200/batch_norm/rate-0.1/seed-1/steps-0",
                          "corrected/5x3200/batch_norm/rate-0.1/seed-2/steps-0",
                          "corrected/5x3200/batch_norm/rate-0.1/seed-3/steps-0"));
  selection.figures = {5};
  selection.initialization = false;
  EXPECT_EQ(plan(selection).size(), 2U);
  selection.figures = {4, 5, 6};
  EXPECT_EQ(plan(selection).size(), 2U);
}

TEST(StudyPlan, PaddingIsThatOfTheProtocolUnlessGiven) {
  Selection selection;
  selection.protocols = {published_protocol()};
  EXPECT_EQ(plan(selection).front().padding, Padding::fixed_512);
  selection.padding = Padding::longest;
  EXPECT_EQ(plan(selection).front().padding, Padding::longest);
}

TEST(StudyPlan, EachCellOccursOnceEvenIfRequestedTwice) {
  Selection selection;
  selection.norms = {"none", "none"};
  selection.rates = {"0.1", "0.1"};
  const std::vector<Cell> cells = plan(selection);
  EXPECT_EQ(enum_names(cells).size(), cells.size());
}

TEST(StudyPlan, DeepAndWideCellsCostMost) {
  Cell cell;
  const double narrow = cost(cell);
  cell.padding = Padding::fixed_512;
  const double padded = cost(cell);
  EXPECT_GT(padded, narrow);
  cell.layers = 5;
  cell.d_ff = 3200;
  EXPECT_GT(cost(cell), 5 * padded);
  EXPECT_GT(cost(curves_cell({}, 87, 3200)), cost(table_cell({}, table_shapes().at(2), "1e-4")));
  EXPECT_GT(cost(gradients_cell({}, 1, 3200)), 0);
}

TEST(StudyPlan, EveryCellIsShownInATableOrFigureOfTheReport) {
  std::map<std::string, std::size_t> counts;
  for (const Cell& cell : plan({})) ++counts[report_place(cell)];
  EXPECT_THAT(counts,
              UnorderedElementsAre(Pair("table 1", 28U), Pair("table 2", 28U), Pair("table 3", 28U),
                                   Pair("table 4", 28U), Pair("table 5", 28U), Pair("table 6", 28U),
                                   Pair("initialization", 8U), Pair("figure 2", 400U),
                                   Pair("figure 3", 400U), Pair("figures 4 to 6", 4U)));
  for (const char* other :
       {"corrected/2x32/none/rate-0.1/seed-42", "corrected/1x32/none/rate-0.2/seed-42",
        "corrected/1x32/none/rate-0.1/seed-42/steps-20",
        "corrected/1x32/none/rate-0.1/seed-42/uniform-0.1"})
    EXPECT_EQ(report_place(parse_cell(other)), "") << other;
  EXPECT_EQ(report_place(parse_cell("published/5x32/none/rate-0.1/seed-7/longest")), "table 4");
}

TEST(StudyPlan, ParsesListsOfRanges) {
  EXPECT_THAT(parse_numbers("--tables", "4,1-2,2", 1, 6), ElementsAre(1U, 2U, 4U));
  for (const char* wrong : {"", "0", "7", "1-", "-2", "2-1", "1,,2", "1 ", "x", "1-9"})
    EXPECT_THAT(error_message<normproof::ref::numeric::UsageError>(
                    [&] { parse_numbers("--tables", wrong, 1, 6); }),
                HasSubstr("expected numbers from 1 to 6, such as 1,2-6"))
        << wrong;
}

}  // namespace
}  // namespace normproof::tests::verification::studies::published
