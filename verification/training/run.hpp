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

/// A run that cannot go on. The message names the step and the tensor with the first non-finite
/// value.
class RunFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The progress of a run after a step.
struct RunProgress {
  std::size_t step = 0, steps = 0, epoch = 0;
  double loss = 0;
  Qualities qualities = {};  ///< of the batches of the step
};

struct RunOptions {
  std::filesystem::path out = {};
  bool resume = false;
  std::size_t checkpoint_every = 0;  ///< in steps; 0: at the end of each epoch only
  InitialWeights weights = {};       ///< initial weights of a new run
  std::function<void(const RunProgress&)> after_step = {};
};

struct RunSummary {
  std::size_t steps = 0;
  double training_loss = 0;  ///< of the last step
  double validation_loss = 0;
  Qualities validation = {};
  std::string sha256;  ///< train::state_sha256 after the last step
};

/// Trains a model and writes the run into the folder `out`.
///
/// The files are config.json, data.json, metrics.jsonl (one line per step and one per epoch),
/// checkpoint.safetensors, weights.safetensors if initial weights are given, and, if
/// config.keep_checkpoints is above 1, that many of the last checkpoints, named by kept_checkpoint.
///
/// Computes  the same bytes in every file for any number of threads, and whether or not the run was
///           interrupted and resumed: a resumed run starts after the last checkpoint and truncates
///           metrics.jsonl to it
/// Requires  without resume, `out` is absent or an empty folder; with resume, it is the folder of a
///           run of the same configuration and data, which keeps its initial weights
/// Throws    UsageError about `out`; FileError if a file is damaged or cannot be written;
///           RunFailure
RunSummary run(const RunConfig& config, RunTask& task, const RunOptions& options);
/// Trains a classifier of sentences: run() with a ClassifyTask.
RunSummary run(const RunConfig& config, const Dataset& data, const RunOptions& options);

/// Returns the measure of that name, or NaN if there is none.
double quality(const Qualities& qualities, std::string_view name);

/// Whether a step failed because of an impossible setting: it is the first step, and all its values
/// are finite. Otherwise some value is not finite: `found` gives its place, or the error is a
/// NotFiniteError.
bool is_caused_by_settings(std::size_t step, const std::optional<std::string>& found,
                           const ref::numeric::ContractError& refusal);

/// Reports a failed step.
/// Throws    UsageError that names the setting if the settings are to blame, else RunFailure
[[noreturn]] void throw_step_failure(const RunConfig& config, std::size_t step,
                                     const std::optional<std::string>& found,
                                     const ref::numeric::ContractError& refusal);

}  // namespace normproof::verification::training
