#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ref/train/trainer.hpp"

namespace normproof::verification::training {

/// Quality measures with their names in metrics.jsonl: "accuracy", "perplexity".
using Qualities = std::vector<std::pair<std::string, double>>;

struct TaskStep {
  ref::train::StepResult<double> result;
  Qualities qualities;  ///< of the batches of the step
};

struct TaskValidation {
  double loss = 0;
  Qualities qualities;
};

/// The task of a run: its data, its training step and its quality measures. A run calls
/// begin_epoch, then the steps of the epoch in order.
class RunTask {
 public:
  RunTask() = default;
  RunTask(const RunTask&) = delete;
  RunTask& operator=(const RunTask&) = delete;
  virtual ~RunTask() = default;

  /// Describes the data as JSON, so that different data has different texts. Includes the hash of
  /// the initial weights if it is not empty.
  virtual std::string data_json(const std::string& weights_sha256) const = 0;
  /// Returns the initial state of a run.
  /// Throws    ContractError if the configuration is impossible
  virtual ref::train::TrainState<double> initial_state() const = 0;
  virtual std::size_t steps_per_epoch() const = 0;
  virtual void begin_epoch(std::uint64_t epoch) = 0;
  /// Takes step k of the epoch, counted from 0.
  /// Throws    ContractError; `state` is then unchanged
  virtual TaskStep step(std::size_t k, ref::train::TrainState<double>& state,
                        const ref::encoder::Tap<double>& tap) const = 0;
  virtual TaskValidation validate(ref::train::TrainState<double>& state) const = 0;
};

/// Forwards to another task. A derived class overrides some of its methods.
class WrappedTask : public RunTask {
 public:
  /// Keeps a reference to the task, which must outlive this object.
  explicit WrappedTask(RunTask& task) : task_(task) {}

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
