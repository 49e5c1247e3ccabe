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

/// Thrown if a training run cannot continue because a value is not finite. The message names the
/// step and the first tensor with such a value.
class RunFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The progress of a run, which it reports after each step.
struct RunProgress {
  std::size_t step = 0, steps = 0, epoch = 0;
  double loss = 0;
  Qualities qualities = {};  ///< quality measures of the step, computed on its training batches
};

struct RunOptions {
  std::filesystem::path out = {};
  bool resume = false;
  /// Number of steps between checkpoints. If it is 0, checkpoints are written only at the end of
  /// each epoch.
  std::size_t checkpoint_every = 0;
  InitialWeights weights = {};  ///< user-supplied initial weights of a new run
  std::function<void(const RunProgress&)> after_step = {};
};

struct RunSummary {
  std::size_t steps = 0;
  double training_loss = 0;  ///< loss of the last step
  double validation_loss = 0;
  Qualities validation = {};
  std::string sha256;  ///< train::state_sha256 after the last step
};

/// Trains a model and writes the run into the folder `out`.
///
/// The folder contains config.json, data.json, metrics.jsonl (one line per step and one per epoch)
/// and checkpoint.safetensors. It contains weights.safetensors if the user supplies initial
/// weights. If config.keep_checkpoints is above 1, it also contains that many of the last
/// checkpoints, with the names of kept_checkpoint_path().
///
/// Computes  the same bytes in every file for any number of threads, whether or not the run was
///           interrupted and resumed. A resumed run continues after the last checkpoint and
///           truncates metrics.jsonl to the length that it had at that checkpoint. It reads
///           user-supplied initial weights from the folder
/// Requires  without resume, `out` is absent or an empty folder; with resume, `out` is the folder
///           of a run with the same configuration and data
/// Throws    UsageError about `out`; FileError if a file is damaged or cannot be written;
///           RunFailure
RunSummary run(const RunConfig& config, RunTask& task, const RunOptions& options);
/// Trains a classifier of sentences: run() with a ClassifyTask.
RunSummary run(const RunConfig& config, const Dataset& data, const RunOptions& options);

/// Returns the quality measure of this name, or NaN if there is none.
double quality(const Qualities& qualities, std::string_view name);

/// Whether a training step failed because of an impossible setting. This is assumed if the step is
/// the first one and no non-finite value was found: `found` is absent, and the error `refusal` is
/// not a NotFiniteError.
bool is_caused_by_settings(std::size_t step, const std::optional<std::string>& found,
                           const ref::numeric::ContractError& refusal);

/// Reports that a training step failed. The arguments are the arguments of is_caused_by_settings.
/// Throws    UsageError that names the setting if a setting caused the failure, otherwise
///           RunFailure
[[noreturn]] void throw_step_failure(const RunConfig& config, std::size_t step,
                                     const std::optional<std::string>& found,
                                     const ref::numeric::ContractError& refusal);

}  // namespace normproof::verification::training
