#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ref/train/trainer.hpp"

namespace normproof::verification::training {

/// Measures by the names that metrics.jsonl gives them: "accuracy", "perplexity".
using Qualities = std::vector<std::pair<std::string, double>>;

struct TaskStep {
  ref::train::StepResult<double> result;
  Qualities qualities;  ///< of the batches of the step
};

struct TaskValidation {
  double loss = 0;
  Qualities qualities;
};

/// What a run is trained for: its data, a step, and how well it does. A run asks for an epoch, then
/// for its steps in their order.
class RunTask {
 public:
  RunTask() = default;
  RunTask(const RunTask&) = delete;
  RunTask& operator=(const RunTask&) = delete;
  virtual ~RunTask() = default;

  /// What tells its data from other data, as JSON; with the hash of the weights that a run begins
  /// with, where that is not empty.
  virtual std::string data_json(const std::string& weights_sha256) const = 0;
  /// What a run begins with.
  /// Throws    ContractError where the configuration cannot be
  virtual ref::train::TrainState<double> initial_state() const = 0;
  virtual std::size_t steps_of_epoch() const = 0;
  virtual void begin_epoch(std::uint64_t epoch) = 0;
  /// Step k of the epoch, from 0.
  /// Throws    ContractError; then `state` is as before
  virtual TaskStep step(std::size_t k, ref::train::TrainState<double>& state,
                        const ref::encoder::Tap<double>& tap) const = 0;
  virtual TaskValidation validate(ref::train::TrainState<double>& state) const = 0;
};

/// Another task, whose steps a derived class takes otherwise, and more where it says so.
class WrappedTask : public RunTask {
 public:
  /// Has to stay.
  explicit WrappedTask(RunTask& task) : task_(task) {}

  std::string data_json(const std::string& weights_sha256) const override {
    return task_.data_json(weights_sha256);
  }
  ref::train::TrainState<double> initial_state() const override { return task_.initial_state(); }
  std::size_t steps_of_epoch() const override { return task_.steps_of_epoch(); }
  void begin_epoch(std::uint64_t epoch) override { task_.begin_epoch(epoch); }
  TaskValidation validate(ref::train::TrainState<double>& state) const override {
    return task_.validate(state);
  }

 protected:
  RunTask& task_;
};

}  // namespace normproof::verification::training
