#include "verification/checks/statistics/statistics_json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/verification/checks/statistics/corpora.hpp"

namespace normproof::tests::verification::checks::statistics {
namespace {

using namespace normproof::verification::checks::statistics;

TEST(StatisticsJson, HoldsEveryStepBitForBit) {
  const Statistics statistics = collect_statistics(
      random_corpus(9, 7), {.d_model = 4, .batch_size = 4, .steps = 5, .warmup_steps = 1});
  const auto json = nlohmann::ordered_json::parse(to_json(statistics).dump());
  EXPECT_EQ(json.at("options").at("steps"), 5);
  EXPECT_EQ(json.at("corpus").at("sentences"), 9);
  EXPECT_EQ(json.at("error"), false);
  EXPECT_EQ(json.at("padding_is_inert"), true);
  ASSERT_EQ(json.at("batches").size(), 5u);
  EXPECT_EQ(json["batches"][2]["variance_change"], statistics.batches[2].variance_change);
  ASSERT_EQ(json.at("slopes").size(), statistics.slopes.size());
  EXPECT_EQ(json["slopes"][7]["layer"], statistics.slopes[7].layer);
  EXPECT_EQ(json["slopes"][7]["around"]["upper"], statistics.slopes[7].around.upper);
  ASSERT_EQ(json.at("followed").size(), statistics.followed.size());
  for (std::size_t i = 0; i < statistics.followed.size(); ++i) {
    const auto& followed = statistics.followed[i];
    const auto& written = json["followed"][i];
    EXPECT_EQ(written.at("name"), followed.scenario.name);
    EXPECT_EQ(written.at("masked"), followed.scenario.masked);
    if (!followed.is_power_norm) {
      EXPECT_TRUE(written["fluctuation"]["mean"]["absolute"][0].is_null());
      EXPECT_EQ(written["fluctuation"]["mean"]["absolute"][3], followed.steps[3].mean->absolute);
      EXPECT_FALSE(written.contains("max_nu"));
      continue;
    }
    EXPECT_EQ(written["fluctuation"]["quadratic_mean"]["relative"][3],
              followed.steps[3].quadratic_mean->relative);
    EXPECT_EQ(written["max_nu"][4], followed.steps[4].recursion->max_nu);
    EXPECT_EQ(written["stability"]["max_theta"], followed.stability.max_theta);
  }
}

TEST(StatisticsJson, MissingQuantitiesAreNull) {
  Statistics statistics;
  RecordedScenario followed{.scenario = {.name = "diverged",
                                         .description = "",
                                         .options = normproof::ref::model::PowerNormOptions{}},
                            .is_power_norm = true,
                            .steps = {},
                            .stability = {},
                            .diverged = true};
  followed.steps.resize(2);
  followed.steps[0].recursion = NuUpdate{3, 1e101, 1e101};
  statistics.followed.push_back(followed);
  const auto json = to_json(statistics);
  EXPECT_EQ(json["followed"][0]["max_nu"][0], 1e101);
  EXPECT_TRUE(json["followed"][0]["max_nu"][1].is_null());
  EXPECT_EQ(json["followed"][0]["diverged"], true);
  EXPECT_EQ(json["followed"][0]["options"]["alpha_forward"], "0.9");
}

}  // namespace
}  // namespace normproof::tests::verification::checks::statistics
