#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ref/train/trainer.hpp"

namespace normproof::verification::studies::published {

/// Trains the model of a training run. All implementations compute the same bits. set_batches()
/// stores the batches; later calls refer to them by index.
class Learner {
 public:
  using Batches = std::vector<ref::train::LabelledBatch>;
  using State = ref::train::TrainState<double>;

  Learner() = default;
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;
  virtual ~Learner() = default;

  /// Sets the batches of an epoch, or the batches for evaluate(). They must outlive the calls that
  /// use them.
  virtual void set_batches(const Batches& batches) = 0;
  virtual void set_validation(const Batches& batches) = 0;

  // Performs a training step on `count` batches, starting with the batch `first`, in the same way
  // as ref/train/trainer.hpp.
  // Throws    ContractError
  virtual ref::train::StepResult<double> step(std::size_t first, std::size_t count,
                                              ref::model::Mode mode,
                                              const ref::encoder::TensorTap<double>& tap) = 0;
  /// Returns the loss and its gradient for the `count` batches from index `first` on. The argument
  /// `at` is the training state at which they are computed. The parameters and the step number of
  /// this state may differ from the values in state().
  virtual ref::train::LossGradient<double> loss_gradient(std::size_t first, std::size_t count,
                                                         ref::model::Mode mode, State& at) = 0;
  virtual ref::train::Evaluation<double> evaluate() = 0;

  /// Returns the current training state, for use by loss_gradient() and the dynamics. It changes
  /// only in step().
  virtual State& state() = 0;
};

/// Creates a learner that trains on the CPU with ref.
/// Requires  `config` outlives the learner
std::unique_ptr<Learner> processor_learner(const ref::model::TrainConfig& config,
                                           const ref::tensor::Tensor<double>& class_weights);

}  // namespace normproof::verification::studies::published
