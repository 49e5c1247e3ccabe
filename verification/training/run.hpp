#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

#include "ref/numeric/errors.hpp"
#include "verification/training/dataset.hpp"
#include "verification/training/pytorch_weights.hpp"
#include "verification/training/run_task.hpp"

namespace normproof::verification::training {

/// A run that cannot go on: the step, and the tensor where the first value that is not finite
/// appeared.
class RunFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// How far a run has come.
struct RunProgress {
  std::size_t step = 0, steps = 0, epoch = 0;
  double loss = 0;
  Qualities qualities = {};  ///< of the batches of the step
};

struct RunOptions {
  std::filesystem::path out = {};
  bool resume = false;
  std::size_t checkpoint_every = 0;  ///< steps; 0: at the end of each epoch alone
  GivenWeights weights = {};         ///< of a new run
  std::function<void(const RunProgress&)> after_step = {};
};

struct RunSummary {
  std::size_t steps = 0;
  double training_loss = 0;  ///< of the last step
  double validation_loss = 0;
  Qualities validation = {};
  std::string sha256;  ///< train::state_sha256 after the last step
};

/// Trains, and leaves in `out`: config.json, data.json, metrics.jsonl (a line a step and a line an
/// epoch) and checkpoint.safetensors; where weights are given, weights.safetensors too; where
/// config.keep_checkpoints is above 1, the checkpoints of as many of the last steps that one was
/// written at, as kept_checkpoint names them.
///
/// Computes  the same bytes of each, whatever the threads, and whether the run was interrupted and
///           resumed or not: a resumed run begins after the last checkpoint and cuts off what
///           metrics.jsonl has beyond it
/// Requires  without resume, `out` is absent or an empty folder; with it, the folder of a run
///           of the same configuration and data, which keeps the weights that it began with
/// Throws    UsageError of out; FileError where a file is damaged or cannot be written; RunFailure
RunSummary run(const RunConfig& config, RunTask& task, const RunOptions& options);
/// The same for a class a sentence: ClassifyTask.
RunSummary run(const RunConfig& config, const Dataset& data, const RunOptions& options);

/// One of the measures; NaN where there is none of that name.
double quality(const Qualities& qualities, std::string_view name);

/// Whether a step that a contract refused has a setting that it cannot have: it is the first one
/// and its values are finite. Else there is a value that is not: `found`, with its place, or what a
/// NotFiniteError says.
bool blames_settings(std::size_t step, const std::optional<std::string>& found,
                     const ref::numeric::ContractError& refusal);

/// Throws    UsageError that names the setting where the settings are to blame, else RunFailure
[[noreturn]] void step_failure(const RunConfig& config, std::size_t step,
                               const std::optional<std::string>& found,
                               const ref::numeric::ContractError& refusal);

}  // namespace normproof::verification::training
