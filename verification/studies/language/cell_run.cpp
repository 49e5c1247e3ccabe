#include "verification/studies/language/cell_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "ref/io/atomic_file.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/studies/language/device_task.hpp"
#include "verification/studies/language/followed_task.hpp"
#include "verification/studies/language/measures.hpp"
#include "verification/studies/language/traced_task.hpp"
#include "verification/training/checkpoint.hpp"

namespace normproof::verification::studies::language {

namespace fs = std::filesystem;
using ref::numeric::ContractError;

namespace {

constexpr std::size_t kCheckpointEvery = 100;

/// Trains to the last step. If a value is not finite, the training stops, and the function returns
/// the error message. Otherwise it returns nothing.
std::optional<std::string> train(const training::RunConfig& config, training::RunTask& task,
                                 const fs::path& folder, const CellOptions& options) {
  std::size_t step = 0;
  std::error_code error;
  try {
    training::run(config, task,
                  {.out = folder,
                   .resume = fs::exists(folder, error),
                   .checkpoint_every = kCheckpointEvery,
                   .weights = {},
                   .after_step = [&](const training::RunProgress& progress) {
                     step = progress.step;
                     if (options.after_step) options.after_step(progress);
                   }});
  } catch (const training::RunFailure& failure) {
    return failure.what();
  } catch (const ref::numeric::FileError& damage) {
    throw ref::numeric::FileError(fmt::format("{}; without the folder {} the cell is computed anew",
                                              damage.what(), folder.string()));
  } catch (const ContractError& refusal) {
    // The validation after an epoch failed, since its step had succeeded.
    if (step == 0) throw;
    return fmt::format("step {}: validation: {}", step, sentence(refusal.violation()));
  }
  return std::nullopt;
}

/// If the validation loss after an epoch is not finite, returns a sentence that says so. Otherwise
/// returns nothing.
std::optional<std::string> not_finite_sentence(const CellResult& result) {
  const bool finite = std::ranges::all_of(result.validation_loss,
                                          [](const auto& loss) { return loss.has_value(); });
  if (finite) return std::nullopt;
  return fmt::format("step {}: the validation loss is not finite", result.steps);
}

}  // namespace

fs::path run_folder(const fs::path& study, const Cell& cell) {
  Cell trained = cell;
  if (trained.purpose == RunPurpose::test) trained.purpose = RunPurpose::validation;
  std::string name = cell_name(trained);
  std::ranges::replace(name, '/', '~');
  return study / "runs" / name;
}

CellResult run_cell(const Cell& cell, const StudyData& data, const CellOptions& options) {
  const training::RunConfig config = make_run_config_with_data(cell, data);
  const fs::path folder = run_folder(options.folder, cell);
  const auto own = make_task(config, data);
  const bool traces = cell.purpose == RunPurpose::dynamics;
  std::error_code ignored;
  if (traces) fs::remove_all(folder, ignored);
  std::optional<DeviceTask> there;
  if (options.device != nullptr && !traces) there.emplace(*options.device, config, data, *own);
  FluctuationTask followed(there ? static_cast<training::RunTask&>(*there) : *own);
  NormTrace trace(config);
  NormTracingTask traced(config, data, *own, trace);
  training::RunTask& task = traces ? static_cast<training::RunTask&>(traced) : followed;
  CellResult result;
  result.name = cell_name(cell);
  result.data_sha256 = data_sha256(cell.task, data);
  result.sha256 = ref::train::state_sha256(own->initial_state());
  std::optional<std::string> failure = train(config, task, folder, options);
  const fs::path metrics = folder / "metrics.jsonl";
  read_measures(ref::io::read_text(metrics), metrics.string(),
                config.epochs * own->steps_per_epoch(), warmup_steps(cell), result);
  if (!failure) failure = not_finite_sentence(result);
  if (failure) result.diverged = {result.steps + 1, *failure};
  if (cell.purpose == RunPurpose::test && !failure) {
    auto state =
        training::read_checkpoint(folder / "checkpoint.safetensors", own->initial_state()).state;
    const TestMeasures test = measure_test(config, data, state);
    if (std::isfinite(test.loss)) {
      result.test_loss = test.loss;
      result.test_bleu = test.bleu;
    } else {
      result.diverged = {result.steps + 1,
                         fmt::format("step {}: the test loss is not finite", result.steps)};
    }
  }
  if (cell.purpose != RunPurpose::validation) fs::remove_all(folder, ignored);
  return result;
}

}  // namespace normproof::verification::studies::language
