#include "verification/studies/published/learner.hpp"

namespace normproof::verification::studies::published {
namespace {

namespace train = ref::train;

class ProcessorLearner final : public Learner {
 public:
  ProcessorLearner(const ref::model::TrainConfig& config,
                   const ref::tensor::Tensor<double>& class_weights)
      : config_(config), weights_(class_weights), state_(train::initial_train_state(config)) {}

  void set_batches(const Batches& batches) override { batches_ = batches; }
  void set_validation(const Batches& batches) override { validation_ = batches; }
  train::StepResult<double> step(std::size_t first, std::size_t count, ref::model::Mode mode,
                                 const ref::encoder::TensorTap<double>& tap) override {
    return train::train_step<double>(config_, batches_.subspan(first, count), weights_, state_, tap,
                                     mode);
  }
  train::LossGradient<double> loss_gradient(std::size_t first, std::size_t count,
                                            ref::model::Mode mode, State& at) override {
    return train::loss_gradient<double>(config_, batches_.subspan(first, count), weights_, at, {},
                                        mode);
  }
  train::Evaluation<double> evaluate() override {
    return train::evaluate<double>(config_, validation_, weights_, state_);
  }
  State& state() override { return state_; }

 private:
  const ref::model::TrainConfig& config_;
  const ref::tensor::Tensor<double> weights_;
  State state_;
  std::span<const train::LabelledBatch> batches_, validation_;
};

}  // namespace

std::unique_ptr<Learner> processor_learner(const ref::model::TrainConfig& config,
                                           const ref::tensor::Tensor<double>& class_weights) {
  return std::make_unique<ProcessorLearner>(config, class_weights);
}

}  // namespace normproof::verification::studies::published
