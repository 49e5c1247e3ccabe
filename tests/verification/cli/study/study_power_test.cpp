#include "verification/cli/study/study_power.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/ref/io/temporary_folder.hpp"
#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/cli/parsed.hpp"
#include "tests/verification/studies/language/sample_results.hpp"
#include "tests/verification/studies/language/small_data.hpp"
#include "verification/studies/published/store.hpp"

namespace normproof::tests::verification::cli::study {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using tool::study::StudyStatisticalPowerCommand;
namespace language_sample = normproof::tests::verification::studies::language;

TEST(StudyPowerOptions, ParsesFolderAndSeeds) {
  const auto given =
      parse_command<StudyStatisticalPowerCommand>({"--out", "o", "--seeds", "9", "--json"});
  EXPECT_EQ(given.out, "o");
  EXPECT_EQ(given.seeds, 9u);
  EXPECT_TRUE(given.reports.json_on_stdout);
  EXPECT_EQ(parse_command<StudyStatisticalPowerCommand>({"--out", "o"}).seeds, 5u);
  EXPECT_THAT(refusal<StudyStatisticalPowerCommand>({"--out", "o", "--seeds", "1"}),
              HasSubstr("--seeds is '1'"));
  EXPECT_THAT(refusal<StudyStatisticalPowerCommand>({}), HasSubstr("--out is required"));
  EXPECT_NO_THROW(
      parse_command<StudyStatisticalPowerCommand>({"--study", "language", "--out", "o"}));
  const auto published =
      parse_command<StudyStatisticalPowerCommand>({"--study", "published", "--out", "o"});
  EXPECT_THAT(normproof::ref::numeric::error_message<normproof::ref::numeric::UsageError>(
                  [&] { published.run(); }),
              HasSubstr("--study is published, whose seeds are not paired; expected language"));
}

TEST(StudyPower, PrintsTheDetectableDifference) {
  const tests::ref::io::TemporaryFolder folder;
  const auto data = normproof::verification::studies::language::small_study_data();
  const normproof::verification::studies::published::Store store(folder.path());
  store.begin(normproof::verification::studies::language::study_identity(
      data_hashes(normproof::verification::studies::language::study_tasks(), data)));
  normproof::verification::studies::language::Results results;
  language_sample::add_tested_runs(results, {}, "layer_norm", {1.0, 1.0});
  language_sample::add_tested_runs(results, {}, "dyt", {1.0, 1.1});
  language_sample::add_tested_runs(results, language_sample::kTranslatorCondition, "layer_norm",
                                   {1.0, 1.0});
  language_sample::add_tested_runs(results, language_sample::kTranslatorCondition, "none",
                                   {1.0, 1.1});
  for (auto& [name, finished] : results) {
    finished.result.data_sha256 = data_sha256(finished.cell.task, data);
    store.add(*store.claim(name), result_line(finished.result), 1);
  }
  StudyStatisticalPowerCommand command{.out = folder.path(), .seeds = 5};
  command.reports.json_on_stdout = true;
  testing::internal::CaptureStdout();
  EXPECT_EQ(tool::run_command(command), tool::kSuccess);
  const auto rows = nlohmann::json::parse(testing::internal::GetCapturedStdout());
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].at("norm"), "dyt");
  EXPECT_EQ(rows[0].at("quantity"), "perplexity");
  EXPECT_EQ(rows[2].at("norm"), "none");
  EXPECT_EQ(rows[2].at("quantity"), "bleu");
  EXPECT_EQ(rows[2].at("condition"), "translate, pre-norm");
  EXPECT_EQ(rows[0].at("pairs"), 2);
  EXPECT_GT(rows[0].at("detectable").get<double>(), rows[0].at("deviation").get<double>());
  command.reports.json_on_stdout = false;
  testing::internal::CaptureStdout();
  EXPECT_EQ(tool::run_command(command), tool::kSuccess);
  EXPECT_THAT(testing::internal::GetCapturedStdout(),
              AllOf(HasSubstr("5 paired seeds"), HasSubstr("in BLEU 5 paired seeds"),
                    HasSubstr("-5.6 of PTB, -3.0 of WikiText-103"), HasSubstr("+0.4 of IWSLT14")));
}

}  // namespace
}  // namespace normproof::tests::verification::cli::study
