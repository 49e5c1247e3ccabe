#pragma once

#include "verification/training/classification.hpp"
#include "verification/training/dataset.hpp"
#include "verification/training/run_task.hpp"

namespace normproof::verification::training {

/// The task of predicting one class per sentence. Its quality measures are accuracy and macro_f1.
class ClassifyTask : public RunTask {
 public:
  /// Keeps references to both arguments, which must outlive the task.
  /// Throws    UsageError if class_weights() throws it
  ClassifyTask(const RunConfig& config, const Dataset& data);

  std::string data_json(const std::string& weights_sha256) const override;
  ref::train::TrainState<double> initial_state() const override;
  std::size_t steps_per_epoch() const override;
  void begin_epoch(std::uint64_t epoch) override;
  TaskStepResult step(std::size_t k, ref::train::TrainState<double>& state,
                      const ref::encoder::TensorTap<double>& tap) const override;
  TaskValidation validate(ref::train::TrainState<double>& state) const override;

 private:
  const RunConfig& config_;
  const Dataset& data_;
  ref::tensor::Tensor<double> weights_;
  std::vector<ref::train::LabelledBatch> epoch_, validation_;
};

}  // namespace normproof::verification::training
