#include "verification/studies/published/cell_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "ref/io/sha256.hpp"
#include "ref/numeric/parallel.hpp"
#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/studies/published/samples.hpp"

namespace normproof::verification::studies::published {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Cell small_cell(const std::string& norm = "power_norm", Protocol protocol = {}) {
  return {.protocol = protocol, .d_ff = 4, .norm = norm, .steps = 4};
}

std::string run_and_format_cell(const Cell& cell) {
  return result_line(run_cell(cell, dataset_with_two_steps_per_epoch()));
}

/// Returns the series `name` of the first norm in the result. The series must exist.
std::vector<std::optional<double>> find_series(const CellResult& result, const std::string& name) {
  for (const auto& [own, values] : result.dynamics.at(0).series)
    if (own == name) return values;
  ADD_FAILURE() << "no series " << name;
  return {};
}

std::vector<double> find_losses(const CellResult& result) {
  std::vector<double> losses;
  for (const StepResult& step : result.steps) losses.push_back(step.loss);
  return losses;
}

TEST(StudyCellRun, HasOneLinePerStepAndEpoch) {
  std::vector<std::size_t> seen;
  const Cell cell{.d_ff = 4, .steps = 5};
  const CellResult result = run_cell(cell, dataset_with_two_steps_per_epoch(),
                                     {.device = nullptr, .after_step = [&](const CellProgress& p) {
                                        EXPECT_EQ(p.steps, 5u);
                                        seen.push_back(p.step);
                                      }});
  EXPECT_EQ(result.name, cell_name(cell));
  EXPECT_EQ(result.steps.size(), 5u);
  EXPECT_THAT(seen, ::testing::ElementsAre(1, 2, 3, 4, 5));
  ASSERT_EQ(result.epochs.size(), 3u);
  EXPECT_EQ(result.epochs[1].step, 4u);
  EXPECT_EQ(result.epochs[2].step, 5u);
  EXPECT_FALSE(result.diverged);
  EXPECT_THAT(result.dynamics, IsEmpty());
  EXPECT_FALSE(result.steps[0].lipschitz);
  EXPECT_LT(result.steps.back().loss, result.steps.front().loss);
}

TEST(StudyCellRun, ResultDoesNotDependOnThreadsOrOtherRuns) {
  std::vector<Cell> cells = {small_cell("batch_norm"), small_cell("power_norm"),
                             small_cell("none", published_protocol())};
  for (Cell& cell : cells) {
    cell.curves = cell.dynamics = true;
    cell.padding = Padding::longest;
  }
  std::vector<std::string> alone;
  for (const Cell& cell : cells) alone.push_back(run_and_format_cell(cell));
  ref::numeric::set_num_threads(2);
  for (std::size_t i = 0; i < cells.size(); ++i) EXPECT_EQ(run_and_format_cell(cells[i]), alone[i]);
  ref::numeric::set_num_threads(1);
  std::vector<std::string> results_of_parallel_runs(cells.size());
  std::vector<std::thread> threads;
  threads.reserve(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i)
    threads.emplace_back([&, i] { results_of_parallel_runs[i] = run_and_format_cell(cells[i]); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(results_of_parallel_runs, alone);
  Cell other = cells[0];
  other.seed = 43;
  EXPECT_NE(run_cell(other, dataset_with_two_steps_per_epoch()).sha256,
            run_cell(cells[0], dataset_with_two_steps_per_epoch()).sha256);
}

TEST(StudyCellRun, ResultDoesNotDependOnTheDevice) {
  std::vector<Cell> cells = {
      small_cell("layer_norm", published_protocol()),
      small_cell("batch_norm", parse_protocol("corrected+inference_stays_on")),
      small_cell("none", parse_protocol("corrected+misaligned_labels")), small_cell("power_norm"),
      small_cell("power_norm_released")};
  cells[0].curves = cells[3].curves = true;
  cells[0].steps = cells[3].steps = 2;
  cells[4].dynamics = true;
  cells.push_back(small_cell("none"));
  cells.back().learning_rate = "10";  // makes the cell diverge
  cells.push_back(small_cell());
  cells.back().steps = 0;
  for (Cell& cell : cells) {
    cell.padding = Padding::longest;
    const auto device = gpu::device::simulated_device(9);
    EXPECT_EQ(result_line(run_cell(cell, dataset_with_two_steps_per_epoch(),
                                   {.device = device.get(), .after_step = {}})),
              run_and_format_cell(cell));
    EXPECT_EQ(device->next_order() == 9, cell.dynamics) << "it trained nothing, or what it cannot";
  }
}

TEST(StudyCellRun, MeasurementsDoNotChangeTheTrajectory) {
  const auto data = dataset_with_two_steps_per_epoch();
  Cell cell = small_cell();
  const CellResult plain = run_cell(cell, data);
  cell.curves = cell.dynamics = true;
  const CellResult measured = run_cell(cell, data);
  EXPECT_EQ(measured.sha256, plain.sha256);
  EXPECT_EQ(find_losses(measured), find_losses(plain));
  EXPECT_EQ(measured.epochs, plain.epochs);
  for (const StepResult& step : measured.steps) {
    EXPECT_GT(step.lipschitz.value(), 0);
    EXPECT_GT(step.smoothness.value(), 0);
  }
}

TEST(StudyCellRun, MatchesTrainStepAndHashesEveryState) {
  const auto data = dataset_with_two_steps_per_epoch();
  const Cell cell = small_cell();
  training::RunConfig config = make_run_config(cell);
  config.train.encoder.vocab_size = data.vocab_size;
  const auto weights = training::class_weights(data, config);
  auto state = ref::train::initial_train_state(config.train);
  std::string states = ref::train::state_sha256(state) + "\n";
  std::vector<double> losses;
  for (std::size_t epoch = 0; epoch < 2; ++epoch)
    for (const auto& batch : training::training_batches(data, config, epoch)) {
      losses.push_back(
          ref::train::train_step<double>(config.train, {&batch, 1}, weights, state).loss);
      states += ref::train::state_sha256(state) + "\n";
    }
  const CellResult result = run_cell(cell, data);
  EXPECT_EQ(find_losses(result), losses);
  EXPECT_EQ(result.sha256, ref::io::sha256(states));
}

TEST(StudyCellRun, OnlyTheFirstStepOfAnEpochUpdatesStateInInference) {
  const auto data = dataset_with_two_steps_per_epoch();
  for (const char* norm : {"batch_norm", "power_norm"}) {
    Cell cell = small_cell(norm);
    cell.dynamics = true;
    const std::string running =
        cell.norm == "batch_norm" ? "running_variance_rms" : "running_psi2_rms";
    const auto corrected = find_series(run_cell(cell, data), running);
    cell.protocol.inference_stays_on = true;
    const CellResult result = run_cell(cell, data);
    const auto stays = find_series(result, running);
    EXPECT_EQ(stays[0], corrected[0]);
    EXPECT_EQ(stays[1], stays[0]);
    EXPECT_NE(stays[2], stays[1]);
    EXPECT_EQ(stays[3], stays[2]);
    for (std::size_t i = 1; i < 4; ++i) EXPECT_NE(corrected[i], corrected[i - 1]);
  }
}

TEST(StudyCellRun, ConsecutiveProbesChangeOnlyTheCurves) {
  const auto data = dataset_with_two_steps_per_epoch();
  Cell cell = small_cell("layer_norm");
  cell.curves = true;
  const CellResult defined = run_cell(cell, data);
  cell.protocol.consecutive_probes = true;
  const CellResult published = run_cell(cell, data);
  EXPECT_EQ(published.sha256, defined.sha256);
  EXPECT_EQ(find_losses(published), find_losses(defined));
  EXPECT_NE(published.steps[0].lipschitz, defined.steps[0].lipschitz);
  EXPECT_NE(published.steps[0].smoothness, defined.steps[0].smoothness);
}

TEST(StudyCellRun, MisalignedLabelsChangeTheLossButNotTheInitialState) {
  const auto data = dataset_with_two_steps_per_epoch();
  Cell cell = small_cell("layer_norm", {.no_padding_mask = true});
  const CellResult aligned = run_cell(cell, data);
  cell.protocol.misaligned_labels = true;
  const CellResult misaligned = run_cell(cell, data);
  // Each label is used the same number of times with aligned and with misaligned labels.
  EXPECT_NE(misaligned.steps[0].loss, aligned.steps[0].loss);
  EXPECT_EQ(misaligned.steps[0].accuracy, aligned.steps[0].accuracy);
  EXPECT_NE(misaligned.steps[0].gradient_norm, aligned.steps[0].gradient_norm);
  EXPECT_NE(misaligned.epochs[0].loss, aligned.epochs[0].loss);
}

TEST(StudyCellRun, NonFiniteValueEndsTheCellAndIsAResult) {
  Cell cell = small_cell("none");
  cell.learning_rate = "1e200";
  cell.curves = true;
  const CellResult result = run_cell(cell, dataset_with_two_steps_per_epoch());
  ASSERT_TRUE(result.diverged);
  EXPECT_EQ(result.diverged->step, result.steps.size() + 1);
  EXPECT_THAT(result.diverged->sentence,
              HasSubstr("step " + std::to_string(result.diverged->step)));
  EXPECT_FALSE(result.steps[0].lipschitz);
  for (const StepResult& step : result.steps) EXPECT_TRUE(std::isfinite(step.loss));
}

// x86 and ARM give NaN different signs.
TEST(StudyCellRun, NaNIsPrintedWithoutASign) {
  Cell cell = small_cell("none");
  cell.learning_rate = "1e308";
  const CellResult result = run_cell(cell, dataset_with_two_steps_per_epoch());
  ASSERT_TRUE(result.diverged);
  EXPECT_THAT(result.diverged->sentence, AllOf(HasSubstr("nan"), Not(HasSubstr("-nan"))));
}

TEST(StudyCellRun, InvalidDataIsAnErrorAndNotAResult) {
  auto data = dataset_with_two_steps_per_epoch();
  std::ranges::replace(data.training.labels, 2, 0);
  EXPECT_THAT(
      ref::numeric::error_message<ref::numeric::UsageError>([&] { run_cell(small_cell(), data); }),
      HasSubstr("class 2 has no training sentence"));
  data = dataset_with_two_steps_per_epoch();
  data.training.sequences[3][0] = 99;
  EXPECT_THAT(
      ref::numeric::error_message<ref::numeric::UsageError>([&] { run_cell(small_cell(), data); }),
      HasSubstr("has the id 99"));
}

}  // namespace
}  // namespace normproof::verification::studies::published
