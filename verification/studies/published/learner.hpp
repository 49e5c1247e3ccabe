#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ref/train/trainer.hpp"

namespace normproof::verification::studies::published {

/// Trains the model of a cell. All implementations give the same bits. Batches are passed once and
/// then referred to by index.
class Learner {
 public:
  using Batches = std::vector<ref::train::LabelledBatch>;
  using State = ref::train::TrainState<double>;

  Learner() = default;
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;
  virtual ~Learner() = default;

  /// Sets the batches of an epoch, or those for evaluate(). They must outlive their use.
  virtual void set_batches(const Batches& batches) = 0;
  virtual void set_validation(const Batches& batches) = 0;

  // Takes a training step on `count` batches from index `first` on, as ref/train/trainer.hpp does.
  // Throws    ContractError
  virtual ref::train::StepResult<double> step(std::size_t first, std::size_t count,
                                              ref::model::Mode mode,
                                              const ref::encoder::Tap<double>& tap) = 0;
  /// Returns loss and gradient at a state, which may have other parameters and another step number
  /// than state().
  virtual ref::train::LossGradient<double> loss_gradient(std::size_t first, std::size_t count,
                                                         ref::model::Mode mode, State& at) = 0;
  virtual ref::train::Evaluation<double> evaluate() = 0;

  /// Returns the current state, for loss_gradient() and the dynamics. Only step() changes it.
  virtual State& state() = 0;
};

/// Creates a learner that trains with ref on the processor.
/// Requires  `config` outlives it
std::unique_ptr<Learner> processor_learner(const ref::model::TrainConfig& config,
                                           const ref::tensor::Tensor<double>& class_weights);

}  // namespace normproof::verification::studies::published
