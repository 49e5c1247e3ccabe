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

/// The distance of the run in `double` from the exact values: the largest |difference| in any
/// element, rounded up, and the largest |difference| relative to the largest |element| of the same
/// exact tensor, if that is not 0.
struct Distance {
  double absolute = 0, relative = 0;
  std::string tensor;  ///< the tensor of the relative distance

  /// False if every tensor with a difference is exactly 0 in truth.
  bool is_relative() const { return absolute == 0 || !tensor.empty(); }
};

/// The summary of a traced step.
struct TracedStep {
  double loss = 0, learning_rate = 0;
  std::string sha256;  ///< train::state_sha256 after the step, of the run in double
  Distance loss_distance, gradients, parameters;  ///< for a certified trace; otherwise 0
};

struct TraceOptions {
  std::filesystem::path out = {};
  std::size_t steps = 1;
  bool certified = false;
  std::string suffix = ".safetensors";  ///< or ".npz"
  InitialWeights weights = {};
  /// Called with (stage, steps done, steps); the stage is "double" or "512 bits".
  std::function<void(const std::string&, std::size_t, std::size_t)> after_step = {};
};

struct TraceSummary {
  std::vector<TracedStep> steps;
  std::size_t tensors = 0, elements = 0;  ///< over all steps, without the remainders
  long bits = 0;  ///< precision of the balls that decided every element; 0 for a trace in double
};

/// Returns {"bits": 2048}, or null for a trace in double, for manifest.json.
nlohmann::ordered_json certified_json(const TraceSummary& summary);

/// Returns the steps for manifest.json: an array with one object per step.
nlohmann::ordered_json steps_json(const TraceSummary& summary);

/// Writes every tensor of the first steps of a run, forward and backward, into a new folder.
///
/// Computes  config.json and data.json as `run` writes them; initial<suffix>: the state before the
///           first step and class_weights; step_0001<suffix>, ...: `tokens`, `valid`, `labels`,
///           every tensor that the step shows (encoder::Tap), and the state after it with the names
///           of a checkpoint; manifest.json. With accumulation the names of the tensors of batch k
///           > 1 end in ".k". A certified trace repeats the trajectory in balls from the same
///           initial state, and doubles the precision until the nearest double of every element is
///           decided; beside each tensor it writes the remainders, "<name>_lo", as in the golden
///           corpus. Each TracedStep then holds the distance of the run in double from it
/// Requires  1 <= steps; suffix is ".safetensors" or ".npz"; out is absent or empty
/// Throws    UsageError about these or an impossible configuration; FileError; RunFailure if a
///           value is not finite, or not decided with 65,536 bits
TraceSummary trace(const RunConfig& config, const Dataset& data, const TraceOptions& options);

}  // namespace normproof::verification::training
