#include "verification/studies/language/cell_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ref/numeric/parallel.hpp"
#include "tests/ref/io/temporary_folder.hpp"
#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/studies/language/small_data.hpp"

namespace normproof::verification::studies::language {
namespace {

using ::testing::HasSubstr;

struct RunInterrupted {};

class LanguageStudyCellRun : public ::testing::Test {
 protected:
  CellResult run(const Cell& cell, std::size_t end_at = 0) {
    return run_cell(
        cell, data_,
        {.folder = folder_.path(), .after_step = [=](const training::RunProgress& progress) {
           if (progress.step == end_at) throw RunInterrupted();
         }});
  }

  tests::ref::io::TemporaryFolder folder_;
  StudyData data_ = small_study_data();
};

TEST_F(LanguageStudyCellRun, RecordsLossesAndNormStatistics) {
  Cell cell = quick_cell("power_norm");
  const CellResult result = run(cell);
  EXPECT_EQ(result.name, cell_name(cell));
  EXPECT_EQ(result.data_sha256, data_sha256(cell.task, data_));
  const auto config = make_run_config_with_data(cell, data_);
  EXPECT_EQ(result.steps, config.epochs * make_task(config, data_)->steps_per_epoch());
  ASSERT_EQ(result.validation_loss.size(), 4u);
  EXPECT_LT(*result.validation_loss.back(), *result.validation_loss.front());
  EXPECT_EQ(result.test_loss, std::nullopt);
  EXPECT_GT(result.max_weighted_gamma.value_or(0), 0);
  EXPECT_EQ(result.fluctuation.size(), 5u);
  EXPECT_FALSE(result.diverged);
  EXPECT_TRUE(std::filesystem::exists(run_folder(folder_.path(), cell)));
}

TEST_F(LanguageStudyCellRun, TranslatorMeasuresBothSidesAndBleu) {
  Cell cell = quick_cell("batch_norm", training::Task::translate);
  cell.purpose = RunPurpose::test;
  const CellResult result = run(cell);
  EXPECT_EQ(result.data_sha256, data_sha256(cell.task, data_));
  EXPECT_EQ(result.steps, 12u);
  ASSERT_EQ(result.validation_bleu.size(), 4u);
  EXPECT_EQ(result.validation_loss.size(), 4u);
  ASSERT_TRUE(result.test_bleu);
  EXPECT_GE(*result.test_bleu, 0);
  EXPECT_GT(result.test_loss.value_or(0), 0);
  std::vector<std::string> sites;
  for (const NormLayerFluctuation& own : result.fluctuation)
    if (own.statistic == "variance") sites.push_back(own.site);
  EXPECT_THAT(sites, ::testing::UnorderedElementsAre(
                         "encoder.layers.0.norm1", "encoder.layers.0.norm2", "encoder.final_norm",
                         "decoder.layers.0.norm1", "decoder.layers.0.norm2",
                         "decoder.layers.0.norm3", "decoder.final_norm"));
  EXPECT_EQ(parse_result(result_line(result), "f"), result);
}

TEST_F(LanguageStudyCellRun, ResultIsTheSameOnADevice) {
  for (const auto& [norm, task] : {std::pair("batch_norm", training::Task::language),
                                   std::pair(kReleasedPlacement, training::Task::translate)}) {
    Cell cell = quick_cell(std::string(norm), task);
    cell.purpose = RunPurpose::test;
    const std::string expected = result_line(run(cell));
    const auto device = gpu::device::simulated_device(9);
    EXPECT_EQ(
        result_line(run_cell(cell, data_,
                             {.folder = folder_.path(), .after_step = {}, .device = device.get()})),
        expected);
    EXPECT_NE(device->next_order(), 9u) << "it trained nothing";
  }
}

TEST_F(LanguageStudyCellRun, ReleasedPlacementRecordsQuadraticMeansOnlyInTheEncoder) {
  for (const NormLayerFluctuation& own :
       run(quick_cell(kReleasedPlacement, training::Task::translate)).fluctuation)
    EXPECT_THAT(own.site, ::testing::StartsWith("encoder.")) << own.statistic;
}

TEST_F(LanguageStudyCellRun, TestsATrainedCellWithoutTrainingAgain) {
  Cell cell = quick_cell("batch_norm");
  const CellResult validated = run(cell);
  cell.purpose = RunPurpose::test;
  EXPECT_EQ(run_folder(folder_.path(), cell).filename(),
            "language~pre~batch_norm~rate-1e-2~seed-1~quick");
  std::size_t steps = 0;
  const CellResult gone_on = run_cell(
      cell, data_,
      {.folder = folder_.path(), .after_step = [&](const training::RunProgress&) { ++steps; }});
  EXPECT_EQ(steps, 0u);
  EXPECT_FALSE(std::filesystem::exists(run_folder(folder_.path(), cell)));
  EXPECT_EQ(result_line(run(cell)), result_line(gone_on));
  CellResult tested = gone_on;
  EXPECT_GT(tested.test_loss.value_or(0), 0);
  tested.test_loss.reset();
  tested.name = validated.name;
  EXPECT_EQ(tested, validated);
}

TEST_F(LanguageStudyCellRun, ResumesToTheSameResultOnAnyNumberOfThreads) {
  for (const training::Task task : study_tasks()) {
    Cell cell = quick_cell("power_norm_released", task);
    cell.purpose = RunPurpose::test;
    const std::string whole = result_line(run(cell));
    ref::numeric::set_num_threads(3);
    EXPECT_THROW(run(cell, 1), RunInterrupted);
    EXPECT_THROW(run(cell, 9), RunInterrupted);
    EXPECT_EQ(result_line(run(cell)), whole);
    ref::numeric::set_num_threads(1);
  }
}

TEST_F(LanguageStudyCellRun, TraceOfDynamicsCoversEveryNormFromTheFirstStep) {
  for (const training::Task task : study_tasks()) {
    Cell cell = quick_cell("power_norm", task);
    const CellResult plain = run(cell);
    EXPECT_TRUE(plain.gradient_bound.empty());
    cell.purpose = RunPurpose::dynamics;
    const CellResult result = run(cell);
    EXPECT_EQ(result.sha256, plain.sha256);
    const std::size_t sites = task == training::Task::language ? 5 : 7;
    EXPECT_EQ(result.gradient_bound.size(), sites);
    EXPECT_EQ(result.fluctuation.size(), 3 * sites);
    EXPECT_EQ(parse_result(result_line(result), "f"), result);
    EXPECT_FALSE(std::filesystem::exists(run_folder(folder_.path(), cell)));
    // After an interruption, a run that traces dynamics restarts. Other runs would resume.
    EXPECT_THROW(run(cell, 9), RunInterrupted);
    EXPECT_EQ(result_line(run(cell)), result_line(result));
    const auto device = gpu::device::simulated_device(9);
    EXPECT_EQ(
        result_line(run_cell(cell, data_,
                             {.folder = folder_.path(), .after_step = {}, .device = device.get()})),
        result_line(result));
  }
}

TEST_F(LanguageStudyCellRun, DivergedTranslatorIsAResult) {
  Cell cell = quick_cell("none", training::Task::translate);
  cell.learning_rate = "1e300";
  cell.purpose = RunPurpose::test;
  const CellResult result = run(cell);
  ASSERT_TRUE(result.diverged);
  EXPECT_EQ(result.test_bleu, std::nullopt);
  EXPECT_EQ(result.last_validation_bleu(), std::nullopt);
  EXPECT_EQ(parse_result(result_line(result), "f"), result);
}

TEST_F(LanguageStudyCellRun, DivergedLanguageModelIsAResult) {
  Cell cell = quick_cell("none");
  cell.learning_rate = "1e300";
  cell.purpose = RunPurpose::test;
  const CellResult result = run(cell);
  ASSERT_TRUE(result.diverged);
  EXPECT_EQ(result.diverged->step, result.steps + 1);
  EXPECT_THAT(result.diverged->sentence, ::testing::StartsWith("step "));
  EXPECT_EQ(result.test_loss, std::nullopt);
  EXPECT_EQ(result.last_validation_loss(), std::nullopt);
  EXPECT_EQ(parse_result(result_line(result), "f"), result);
}

TEST_F(LanguageStudyCellRun, DamagedRunIsReportedWithItsFolder) {
  const Cell cell = quick_cell("none");
  const CellResult whole = run(cell);
  const auto folder = run_folder(folder_.path(), cell);
  std::filesystem::resize_file(folder / "checkpoint.safetensors", 0);
  EXPECT_THAT(ref::numeric::error_message<ref::numeric::FileError>([&] { run(cell); }),
              AllOf(HasSubstr("checkpoint.safetensors"), HasSubstr("without the folder "),
                    HasSubstr(" the cell is computed anew")));
  std::filesystem::remove_all(folder);
  EXPECT_EQ(run(cell), whole);
}

TEST_F(LanguageStudyCellRun, RejectsUnusableDataWithoutLeavingAFolder) {
  data_.text->training.resize(5);
  EXPECT_THAT(
      ref::numeric::error_message<ref::numeric::UsageError>([&] { run(quick_cell("none")); }),
      HasSubstr("5 characters"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "runs"));
}

}  // namespace
}  // namespace normproof::verification::studies::language
