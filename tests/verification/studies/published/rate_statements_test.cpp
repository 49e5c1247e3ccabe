#include "verification/studies/published/rate_statements.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

// Missing cells must not decide a statement. An answer is given only if it is the same for every
// outcome of the missing cells.
namespace normproof::tests::verification::studies::published {
namespace {

using namespace normproof::verification::studies::published;
using testing::HasSubstr;

using Outcomes = std::map<std::string, bool>;

Column column(const Outcomes& outcomes) {
  return [outcomes](const std::string& rate) -> std::optional<bool> {
    const auto found = outcomes.find(rate);
    return found == outcomes.end() ? std::nullopt : std::optional(found->second);
  };
}

std::set<std::string> all_rates() {
  return {study_rates().begin(), study_rates().end()};
}

/// Returns the outcomes of a full column of a table, that is, of every rate. Training converges at
/// the rate `highest` and below. If `highest` is "", it converges at no rate.
Outcomes make_full_column(const std::string& highest) {
  Outcomes outcomes;
  bool converges = false;
  for (const std::string& rate : study_rates()) {
    converges = converges || rate == highest;
    outcomes[rate] = converges;
  }
  return outcomes;
}

TEST(LearningRateStatements, HighestRateMentionsMissingCells) {
  EXPECT_EQ(highest_rate_text(column(make_full_column("0.5"))), "0.5");
  EXPECT_EQ(highest_rate_text(column(make_full_column(""))), "no rate");
  EXPECT_EQ(highest_rate_text(column({{"10", false}})), "no rate of those run");
  EXPECT_EQ(highest_rate_text(column({})), "not run");
}

TEST(LearningRateStatements, FullColumnsCompareByTheirHighestConvergingRate) {
  const auto compare = [](const std::string& a, const std::string& b) {
    return compare_highest(column(make_full_column(a)), column(make_full_column(b)), all_rates());
  };
  EXPECT_EQ(compare("1", "0.5"), std::strong_ordering::greater);
  EXPECT_EQ(compare("1e-4", "0.5"), std::strong_ordering::less);
  EXPECT_EQ(compare("0.1", "0.1"), std::strong_ordering::equal);
  EXPECT_EQ(compare("", ""), std::strong_ordering::equal);
  EXPECT_EQ(compare("", "1e-4"), std::strong_ordering::less);
}

// If an answer exists although two cells are missing, it must stay the same for any outcome of
// these cells.
TEST(LearningRateStatements, AnswersDoNotChangeWhenMissingCellsAreRun) {
  std::size_t said = 0, unsaid = 0;
  const auto& rates = study_rates();
  for (const char* a : {"1", "0.5", "1e-4", ""})
    for (const char* b : {"1", "0.5", "1e-4", ""})
      for (const std::string& of_a : rates)
        for (const std::string& of_b : rates) {
          Outcomes left = make_full_column(a), right = make_full_column(b);
          left.erase(of_a);
          right.erase(of_b);
          const auto before = compare_highest(column(left), column(right), all_rates());
          (before ? said : unsaid) += 1;
          if (!before) continue;
          for (const bool x : {false, true})
            for (const bool y : {false, true}) {
              left[of_a] = x;
              right[of_b] = y;
              EXPECT_EQ(compare_highest(column(left), column(right), all_rates()), before)
                  << a << ' ' << b << ' ' << of_a << ' ' << of_b;
            }
        }
  EXPECT_GT(said, 100U);
  EXPECT_GT(unsaid, 100U);
}

TEST(LearningRateStatements, RateThatNoCellHasIsSkippedUnlessItMayDecide) {
  const std::set<std::string> quick = {"10", "0.5", "1e-2"};
  const Outcomes none = {{"10", false}, {"0.5", false}, {"1e-2", false}};
  const Outcomes low = {{"10", false}, {"0.5", false}, {"1e-2", true}};
  const Outcomes high = {{"10", false}, {"0.5", true}, {"1e-2", true}};
  const auto compare = [&](const Outcomes& a, const Outcomes& b) {
    return compare_highest(column(a), column(b), quick);
  };
  EXPECT_EQ(compare(high, low), std::strong_ordering::greater);
  EXPECT_EQ(compare(low, high), std::strong_ordering::less);
  EXPECT_EQ(compare(none, low), std::strong_ordering::less);
  EXPECT_EQ(compare(none, none), std::nullopt);  // a lower rate may differ
  EXPECT_EQ(compare(low, low), std::nullopt);    // the rate 0.1 may differ
  EXPECT_EQ(compare_highest(column({{"10", true}}), column({{"10", true}}), {"10"}),
            std::strong_ordering::equal);
}

/// Makes the tables 1 to 6 of one seed. A key is the number of a table and the name of a norm; the
/// value is the column of that norm.
RatesRun make_tables_of_rates(std::map<std::pair<std::size_t, std::string>, Outcomes> tables) {
  RatesRun run;
  for (const auto& [place, outcomes] : tables)
    for (const auto& [rate, converged] : outcomes) run.rates.insert(rate);
  run.converges = [tables = std::move(tables)](const TableShape& shape, const std::string& norm,
                                               const std::string& rate) -> std::optional<bool> {
    const auto found = tables.find({shape.number, norm});
    return found == tables.end() ? std::nullopt : column(found->second)(rate);
  };
  return run;
}

TEST(LearningRateStatements, ComparesHighestRatesOverTheTablesThatWereRun) {
  const auto run = [](const std::string& own, const Outcomes& of_table_3) {
    return make_tables_of_rates(
        {{{1, "layer_norm"}, make_full_column(own)},
         {{1, "none"}, make_full_column("0.1")},
         {{3, "layer_norm"}, of_table_3.empty() ? Outcomes() : make_full_column("")},
         {{3, "none"}, of_table_3}});
  };
  const auto found = converges_at_higher_rates(run("0.5", {}), "layer_norm", "none");
  EXPECT_EQ(found.holds, true);
  EXPECT_EQ(found.numbers, "table 1: 0.5 against 0.1; not decided: tables 2, 3, 4, 5, 6");
  // Table 3 is unfinished. Its missing cells may have a lower rate.
  EXPECT_EQ(converges_at_higher_rates(run("0.5", {{"10", false}}), "layer_norm", "none").holds,
            std::nullopt);
  EXPECT_EQ(converges_at_higher_rates(run("0.5", {{"10", true}}), "layer_norm", "none").holds,
            false);
  EXPECT_EQ(converges_at_higher_rates(run("0.5", make_full_column("")), "layer_norm", "none").holds,
            true);
  // All rates are equal so far. A missing table may have a higher rate.
  EXPECT_EQ(converges_at_higher_rates(run("0.1", {}), "layer_norm", "none").holds, std::nullopt);
  EXPECT_EQ(converges_at_higher_rates(run("0.1", {}), "layer_norm", "rms_norm").numbers, "");
}

// Regression test. Table 6 had only its highest rates, at which neither column had converged yet.
// That counted as "does not".
TEST(LearningRateStatements, DeepWithoutNormIsUndecidedWhileLowRatesAreMissing) {
  const Outcomes begun = {{"10", false}, {"1", false}};
  const auto of = [](const Outcomes& deep_none, const Outcomes& deep_layer_norm) {
    return deep_needs_lower_rates(make_tables_of_rates({{{3, "none"}, make_full_column("0.1")},
                                                        {{6, "none"}, deep_none},
                                                        {{6, "layer_norm"}, deep_layer_norm}}));
  };
  EXPECT_EQ(of(begun, begun).holds, std::nullopt);
  EXPECT_EQ(of(begun, begun).numbers, "");
  // The existing cells decide the columns of LayerNorm and of the model with one layer.
  EXPECT_EQ(
      of({{"10", false}, {"1", false}, {"0.5", false}, {"0.1", false}}, make_full_column("0.5"))
          .holds,
      true);
  EXPECT_EQ(of({{"10", false}, {"1", false}, {"0.5", false}}, make_full_column("0.5")).holds,
            std::nullopt);
  EXPECT_EQ(of(make_full_column("0.1"), make_full_column("0.5")).holds, false);
  EXPECT_EQ(of(make_full_column("0.5"), begun).holds,
            false);  // not lower than at one layer, which is enough
  EXPECT_EQ(of(make_full_column("1e-4"), begun).holds, std::nullopt);
  // A width without any cell does not affect the verdict for the other widths. A width that is
  // unfinished does.
  const auto two = [](const Outcomes& of_table_6) {
    return deep_needs_lower_rates(
        make_tables_of_rates({{{1, "none"}, make_full_column("0.1")},
                              {{3, "none"}, make_full_column("0.1")},
                              {{4, "none"}, make_full_column("1e-3")},
                              {{4, "layer_norm"}, make_full_column("0.5")},
                              {{6, "none"}, of_table_6},
                              {{6, "layer_norm"}, of_table_6}}));
  };
  EXPECT_EQ(two({}).holds, true);
  EXPECT_THAT(two({}).numbers, HasSubstr("; not decided: widths 320, 3200"));
  EXPECT_EQ(two(begun).holds, std::nullopt);
  EXPECT_EQ(two({{"10", true}}).holds, false);
}

}  // namespace
}  // namespace normproof::tests::verification::studies::published
