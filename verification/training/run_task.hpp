#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ref/train/trainer.hpp"

namespace normproof::verification::training {

/// Quality measures of a model as pairs of name and value. The names, such as "accuracy" and
/// "perplexity", are the same as in metrics.jsonl.
using Qualities = std::vector<std::pair<std::string, double>>;

struct TaskStepResult {
  ref::train::StepResult<double> result;
  Qualities qualities;  ///< quality measures on the training batches of the step
};

struct TaskValidation {
  double loss = 0;
  Qualities qualities;
};

/// The task of a run: it provides the data, the training steps and the quality measures. A run
/// calls begin_epoch(), then step() for each step of the epoch in order.
class RunTask {
 public:
  RunTask() = default;
  RunTask(const RunTask&) = delete;
  RunTask& operator=(const RunTask&) = delete;
  virtual ~RunTask() = default;

  /// Returns a JSON text that describes the data. Different data has different texts. The text
  /// includes weights_sha256, the hash of the initial weights, if that is not empty.
  virtual std::string data_json(const std::string& weights_sha256) const = 0;
  /// Returns the state with which a new run starts.
  /// Throws    ContractError if the configuration is impossible
  virtual ref::train::TrainState<double> initial_state() const = 0;
  virtual std::size_t steps_per_epoch() const = 0;
  virtual void begin_epoch(std::uint64_t epoch) = 0;
  /// Performs training step k of the epoch and updates `state`. k is counted from 0.
  /// Throws    ContractError; `state` is then unchanged
  virtual TaskStepResult step(std::size_t k, ref::train::TrainState<double>& state,
                              const ref::encoder::TensorTap<double>& tap) const = 0;
  virtual TaskValidation validate(ref::train::TrainState<double>& state) const = 0;
};

/// Forwards every call to another task, except for the methods that a derived class overrides.
class ForwardingTask : public RunTask {
 public:
  /// Keeps a reference to the task, which must outlive this object.
  explicit ForwardingTask(RunTask& task) : task_(task) {}

  std::string data_json(const std::string& weights_sha256) const override {
    return task_.data_json(weights_sha256);
  }
  ref::train::TrainState<double> initial_state() const override { return task_.initial_state(); }
  std::size_t steps_per_epoch() const override { return task_.steps_per_epoch(); }
  void begin_epoch(std::uint64_t epoch) override { task_.begin_epoch(epoch); }
  TaskValidation validate(ref::train::TrainState<double>& state) const override {
    return task_.validate(state);
  }

 protected:
  RunTask& task_;
};

}  // namespace normproof::verification::training
