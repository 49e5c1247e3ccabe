#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "ref/io/stored_tensor.hpp"
#include "verification/training/dataset.hpp"
#include "verification/training/pytorch_weights.hpp"

namespace normproof::verification::training {

/// How far the values that a run computes in `double` are from the exact values. `absolute` is the
/// largest absolute difference of any element, rounded up. `relative` is the largest ratio of an
/// absolute difference to the largest absolute element of the same exact tensor; tensors that are
/// exactly 0 do not count.
struct ExactDistance {
  double absolute = 0, relative = 0;
  std::string tensor;  ///< name of the tensor with the largest relative difference

  /// Whether `relative` is defined. It is undefined if the values differ only in tensors whose
  /// exact values are all 0.
  bool is_relative() const { return absolute == 0 || !tensor.empty(); }
};

/// The summary of a traced step.
struct TracedStep {
  double loss = 0, learning_rate = 0;
  /// The hash train::state_sha256 of the state that the run in double reaches after this step.
  std::string sha256;
  ExactDistance loss_distance, gradients, parameters;  ///< only for a certified trace; otherwise 0
};

struct TraceOptions {
  std::filesystem::path out = {};
  std::size_t steps = 1;
  bool certified = false;
  std::string suffix = ".safetensors";  ///< ".safetensors" or ".npz"
  InitialWeights weights = {};
  /// Reports progress. It is called with the stage, the number of completed steps and the number of
  /// all steps. The stage is "double" or the precision, such as "2048 bits".
  std::function<void(const std::string&, std::size_t, std::size_t)> after_step = {};
};

struct TraceSummary {
  std::vector<TracedStep> steps;
  /// Numbers of tensors and of their elements in all steps. Tensors of remainders do not count.
  std::size_t tensors = 0, elements = 0;
  long bits = 0;  ///< precision in bits that decided every element; 0 for a trace in double
};

/// Returns the entry "certified" of manifest.json: {"bits": 2048}, or null for a trace in double.
nlohmann::ordered_json certified_json(const TraceSummary& summary);

/// Returns the entry "steps" of manifest.json: an array with one object per step.
nlohmann::ordered_json steps_json(const TraceSummary& summary);

/// Runs the first steps of a training run, and writes every tensor of their forward and backward
/// passes into a new folder.
///
/// Computes  the files config.json and data.json, as run() writes them; initial<suffix>, with the
///           state before the first step and with class_weights; one file per step,
///           step_0001<suffix>, ...; and manifest.json. The file of a step holds `tokens`, `valid`,
///           `labels`, every tensor that the step passes to its encoder::TensorTap, and the state
///           after the step with the names of a checkpoint. With gradient accumulation, the names
///           of the tensors of batch k > 1 end in ".k".
///           A certified trace repeats the steps in ball arithmetic, from the same initial state.
///           It doubles the precision until the double nearest to the exact value of every element
///           is decided. Beside each tensor it writes the remainders as "<name>_lo", as the golden
///           corpus does. Each TracedStep then holds the distance between the run in double and the
///           exact values
/// Requires  1 <= steps; suffix is ".safetensors" or ".npz"; out is absent or empty
/// Throws    UsageError if a requirement is violated or the configuration is impossible; FileError;
///           RunFailure if a value is not finite, or if 65,536 bits do not decide an element
TraceSummary trace(const RunConfig& config, const Dataset& data, const TraceOptions& options);

}  // namespace normproof::verification::training
