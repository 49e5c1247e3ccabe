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

/// How far `double` is from the truth: the largest |difference| in any element, rounded up, and
/// the largest such over the largest |element| of its true tensor, where that is not 0.
struct Distance {
  double absolute = 0, relative = 0;
  std::string tensor;  ///< where the relative one is

  /// False where whatever is off is 0 in truth.
  bool is_relative() const { return absolute == 0 || !tensor.empty(); }
};

/// What a step says of itself.
struct TracedStep {
  double loss = 0, learning_rate = 0;
  std::string sha256;  ///< train::state_sha256 after it, of the run in double
  Distance loss_distance, gradients, parameters;  ///< of a certified trace; else 0
};

struct TraceOptions {
  std::filesystem::path out = {};
  std::size_t steps = 1;
  bool certified = false;
  std::string suffix = ".safetensors";  ///< or ".npz"
  GivenWeights weights = {};
  /// (stage, steps done, steps): the stage is "double" or "512 bits".
  std::function<void(const std::string&, std::size_t, std::size_t)> after_step = {};
};

struct TraceSummary {
  std::vector<TracedStep> steps;
  std::size_t tensors = 0, elements = 0;  ///< of all steps, without the remainders
  long bits = 0;                          ///< of the balls that decided; 0 in double
};

/// {"bits": 2048}, or null of a trace in double: as manifest.json has it.
nlohmann::ordered_json certified_json(const TraceSummary& summary);

/// The steps as manifest.json has them: an array, an object a step.
nlohmann::ordered_json steps_json(const TraceSummary& summary);

/// Every tensor of the first steps of a run, forward and backward, in a new folder.
///
/// Computes  config.json and data.json as `run` has them; initial<suffix>: the state before the
///           first step and class_weights; step_0001<suffix>, ...: `tokens`, `valid`, `labels`,
///           every tensor that the step shows (encoder::Tap), and the state after it as a
///           checkpoint names it; manifest.json. With accumulation the tensors of batch k > 1 end
///           in ".k". certified: the same trajectory in balls, from the same initial state, with as
///           many bits as it takes until every element of every tensor has its nearest double;
///           beside each tensor what remains, "<name>_lo", as in the golden corpus. Each TracedStep
///           then says how far the run in double is from it
/// Requires  1 <= steps; suffix is ".safetensors" or ".npz"; out is absent or empty
/// Throws    UsageError of these, and of what the configuration cannot be; FileError; RunFailure
///           where a value is not finite, or not decided with 65,536 bits
TraceSummary trace(const RunConfig& config, const Dataset& data, const TraceOptions& options);

}  // namespace normproof::verification::training
