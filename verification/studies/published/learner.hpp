#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ref/train/trainer.hpp"

namespace normproof::verification::studies::published {

/// Who trains the model of a cell: each gives the same bits. Batches are handed over once and named
/// by their number.
class Learner {
 public:
  using Batches = std::vector<ref::train::LabelledBatch>;
  using State = ref::train::TrainState<double>;

  Learner() = default;
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;
  virtual ~Learner() = default;

  /// The batches of an epoch, and those that evaluate() takes. They have to stay.
  virtual void set_batches(const Batches& batches) = 0;
  virtual void set_validation(const Batches& batches) = 0;

  // Of `count` batches from number `first` on, as ref/train/trainer.hpp has them.
  // Throws    ContractError
  virtual ref::train::StepResult<double> step(std::size_t first, std::size_t count,
                                              ref::model::Mode mode,
                                              const ref::encoder::Tap<double>& tap) = 0;
  /// At parameters, and a number of the step, that need not be those of the state.
  virtual ref::train::LossGradient<double> loss_gradient(std::size_t first, std::size_t count,
                                                         ref::model::Mode mode, State& at) = 0;
  virtual ref::train::Evaluation<double> evaluate() = 0;

  /// The state as it is now. It is given to loss_gradient() and dynamics; steps alone change it.
  virtual State& state() = 0;
};

/// Trains by ref, on the processor.
/// Requires  `config` stays
std::unique_ptr<Learner> processor_learner(const ref::model::TrainConfig& config,
                                           const ref::tensor::Tensor<double>& class_weights);

}  // namespace normproof::verification::studies::published
