#include "verification/studies/published/tables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/numeric/errors.hpp"
#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/studies/published/sample_results.hpp"

namespace normproof::tests::verification::studies::published {
namespace {

using namespace normproof::verification::studies::published;
using normproof::ref::numeric::error_message;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Cell make_cell_with_seed(std::uint64_t seed) {
  Cell cell;
  cell.seed = seed;
  return cell;
}

TEST(StudyTables, HaveTheRowsAndColumnsThatWereRun) {
  Results results;
  add_table_cell(results, 2, "power_norm", "0.1", true);
  add_table_cell(results, 2, "none", "10", false);
  const auto tables = make_tables(results, {}, evenly_split_class_counts());
  ASSERT_THAT(tables, SizeIs(1));
  EXPECT_EQ(tables[0].shape.number, 2U);
  EXPECT_THAT(tables[0].rates, ElementsAre("10", "0.1"));
  EXPECT_THAT(tables[0].norms, ElementsAre("none", "power_norm"));
  EXPECT_EQ(tables[0].entries[0][0].outcome(), Outcome::failed);
  EXPECT_EQ(tables[0].entries[0][1].outcome(), Outcome::not_run);
  EXPECT_EQ(tables[0].entries[1][1].outcome(), Outcome::converged);
  EXPECT_EQ(highest_rate(tables[0], "power_norm"), "0.1");
  EXPECT_EQ(highest_rate(tables[0], "none"), "none of those run");
  for (const std::string& rate : study_rates()) add_table_cell(results, 2, "none", rate, false);
  EXPECT_EQ(highest_rate(make_tables(results, {}, evenly_split_class_counts())[0], "none"), "none");
  EXPECT_EQ(highest_rate(tables[0], "rms_norm"), "");
  EXPECT_THAT(make_tables(results, {published_protocol()}, evenly_split_class_counts()), IsEmpty());
}

TEST(StudyTables, SeedsOfOneEntryMayHaveDifferentOutcomes) {
  Results results;
  add_table_cell(results, 1, "none", "1", true, make_cell_with_seed(42));
  add_table_cell(results, 1, "none", "1", false, make_cell_with_seed(7));
  add_table_cell(results, 1, "none", "0.1", true, make_cell_with_seed(7));
  const TableEntry entry = make_tables(results, {}, evenly_split_class_counts())[0].entries[0][0];
  ASSERT_THAT(entry.runs, SizeIs(2));
  EXPECT_EQ(entry.runs[0]->cell.seed, 7U);
  EXPECT_EQ(entry.outcome(), Outcome::seeds_differ);
  EXPECT_EQ(mean_accuracy(entry), 0.5);
  EXPECT_EQ(mean_macro_f1(entry), 0.25);
  EXPECT_EQ(mean_accuracy(TableEntry{}), std::nullopt);
  EXPECT_EQ(accuracy_range(entry), std::pair(0.5, 0.5));
  EXPECT_EQ(accuracy_range(make_tables(results, {}, evenly_split_class_counts())[0].entries[1][0]),
            std::nullopt);
}

TEST(StudyTables, DivergedRunHasNoAccuracy) {
  Results results;
  add_table_cell(results, 1, "none", "1", true);
  const std::string name = results.begin()->first;
  results.at(name).result.diverged = {80, "step 80: inf"};
  EXPECT_EQ(mean_accuracy(make_tables(results, {}, evenly_split_class_counts())[0].entries[0][0]),
            std::nullopt);
}

TEST(StudyTables, PublishedHighestRateIsAmongTheRatesThatWereRun) {
  Results results;
  for (const char* rate : {"1", "0.5", "1e-2"})
    for (const char* norm : {"none", "power_norm"}) add_table_cell(results, 1, norm, rate, true);
  const Table table = make_tables(results, {}, evenly_split_class_counts())[0];
  EXPECT_EQ(published_highest(table, "none"), "1e-2");  // it converged at 0.1, which was not run
  EXPECT_EQ(published_highest(table, "layer_norm"), "0.5");
  EXPECT_EQ(published_highest(table, "power_norm"), "");
}

TEST(StudyTables, ExcludeRunsForCurvesAndRunsWithOtherStepsOrInitializations) {
  Results results;
  for (Cell cell : {curves_cell({}, 87, 3200), gradients_cell({}, 1, 3200),
                    initialization_cell({}, "uniform-0.1")})
    add(results, cell, sample_result(cell, {2, 1}));
  EXPECT_THAT(make_tables(results, {}, evenly_split_class_counts()), IsEmpty());
  const auto table = initialization_table(results, {}, evenly_split_class_counts());
  ASSERT_TRUE(table);
  EXPECT_THAT(table->rates, ElementsAre("uniform-0.1"));
  EXPECT_EQ(table->entries[0][0].published, true);
  EXPECT_EQ(initialization_table({}, {}, evenly_split_class_counts()), std::nullopt);
}

TEST(StudyTables, AgreementCountsCellsWithThePublishedOutcome) {
  Results results;
  add_table_cell(results, 1, "none", "1", false);       // as published
  add_table_cell(results, 1, "none", "0.1", false);     // not as published
  add_table_cell(results, 1, "power_norm", "1", true);  // nothing published
  add_table_cell(results, 1, "batch_norm", "1", true, make_cell_with_seed(1));
  add_table_cell(results, 1, "batch_norm", "1", false, make_cell_with_seed(2));
  const Agreement counts = agreement(make_tables(results, {}, evenly_split_class_counts()));
  EXPECT_EQ(counts.agree, 1U);
  EXPECT_EQ(counts.differ, 1U);
  EXPECT_EQ(counts.seeds_differ, 1U);
  EXPECT_EQ(counts.not_run, 1U);  // batch_norm at 0.1
}

TEST(StudyTables, SensitivityCountsOutcomesThatAnotherRuleChanges) {
  Results results;
  // The losses are 2 and 1. So the mean of the last losses is 0.75 of the first.
  add_table_cell(results, 1, "none", "1", true);
  add_table_cell(results, 1, "none", "10", false);
  for (const Sensitivity& row : sensitivity(results, {}, evenly_split_class_counts())) {
    EXPECT_EQ(row.entries, 2U);
    const bool stricter = row.rules.convergence.share < 0.75;
    EXPECT_EQ(row.changed_convergence, stricter ? 1U : 0U) << row.rules.convergence.share;
    EXPECT_EQ(row.changed_learning, 0U);
  }
}

TEST(StudyTables, ConditionsAreOrderedByProtocol) {
  Results results;
  Cell cell;
  cell.protocol = published_protocol();
  cell.padding = Padding::longest;
  add(results, cell, sample_result(cell, {2, 1}));
  cell.padding = Padding::fixed_512;
  add(results, cell, sample_result(cell, {2, 1}));
  cell = {};
  add(results, cell, sample_result(cell, {2, 1}));
  cell.protocol.count_weights = cell.protocol.no_padding_mask = true;
  add(results, cell, sample_result(cell, {2, 1}));
  std::vector<std::string> names;
  for (const Condition& condition : list_conditions(results))
    names.push_back(condition_name(condition));
  EXPECT_THAT(names, ElementsAre("corrected", "published", "published/longest",
                                 "corrected+no_padding_mask+count_weights"));
}

TEST(StudyTables, ReadsResultsFromTheLinesOfAStore) {
  const Cell cell = curves_cell({}, 20, 3200);
  const auto result = sample_result(cell, {2, 1});
  const Results read = read_results({{result.name, result_line(result)}}, "results.jsonl");
  EXPECT_EQ(read.at(result.name).cell, cell);
  EXPECT_EQ(read.at(result.name).result, result);
  using normproof::ref::numeric::FileError;
  EXPECT_THAT(error_message<FileError>([&] {
                read_results({{"corected/1x1", "{}"}}, "results.jsonl");
              }),
              HasSubstr("results.jsonl: "));
  EXPECT_THAT(error_message<FileError>([&] {
                read_results({{result.name, "{}"}}, "results.jsonl");
              }),
              HasSubstr(result.name));
}

}  // namespace
}  // namespace normproof::tests::verification::studies::published
