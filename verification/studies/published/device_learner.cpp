#include "verification/studies/published/device_learner.hpp"

#include <optional>
#include <utility>

#include "ref/numeric/errors.hpp"
#include "verification/checks/agreement/device_state.hpp"

namespace normproof::verification::studies::published {
namespace {

namespace train = ref::train;
using checks::agreement::copy_to_host;
using checks::agreement::on_device;
using DeviceBatches = std::vector<gpu::train::LabelledBatch>;

class DeviceLearner final : public Learner {
 public:
  DeviceLearner(gpu::device::Device& device, const ref::model::TrainConfig& config,
                const ref::tensor::Tensor<double>& class_weights)
      : device_(device),
        config_(config),
        weights_(gpu::device::upload(device, class_weights)),
        host_(train::initial_train_state(config)),
        state_(on_device(device, *host_)) {}

  void set_batches(const Batches& batches) override { batches_ = on_device(device_, batches); }
  void set_validation(const Batches& batches) override {
    validation_ = on_device(device_, batches);
  }
  train::StepResult<double> step(std::size_t first, std::size_t count, ref::model::Mode mode,
                                 const ref::encoder::TensorTap<double>& tap) override {
    if (tap)
      ref::numeric::contract_failure("device_learner", "tap", "is given", "a step without one",
                                     ref::numeric::Clause::C1);
    auto found = gpu::train::train_step(config_, part(first, count), weights_, state_,
                                        gpu::ops::ordered_products(), mode);
    host_.reset();
    return {found.loss,
            std::move(found.predictions),
            {std::move(found.gradient_norms.per_tensor), found.gradient_norms.whole},
            found.learning_rate};
  }
  train::LossGradient<double> loss_gradient(std::size_t first, std::size_t count,
                                            ref::model::Mode mode, State& at) override {
    auto found =
        gpu::train::loss_gradient(config_, part(first, count), weights_, on_device(device_, at),
                                  gpu::ops::ordered_products(), mode);
    return {found.loss, std::move(found.predictions), copy_to_host(found.gradients),
            gpu::device::download(found.norms)};
  }
  train::Evaluation<double> evaluate() override {
    auto found = gpu::train::evaluate(config_, validation_, weights_, state_);
    return {found.loss, std::move(found.predictions)};
  }
  State& state() override {
    if (!host_) host_ = copy_to_host(state_);
    return *host_;
  }

 private:
  std::span<const gpu::train::LabelledBatch> part(std::size_t first, std::size_t count) const {
    return std::span<const gpu::train::LabelledBatch>(batches_).subspan(first, count);
  }

  gpu::device::Device& device_;
  const ref::model::TrainConfig& config_;
  gpu::device::DeviceTensor<double> weights_;
  /// A copy of the training state in host memory; absent if the state on the GPU has changed since.
  std::optional<State> host_;
  gpu::train::TrainState state_;
  DeviceBatches batches_, validation_;
};

}  // namespace

std::unique_ptr<Learner> device_learner(gpu::device::Device& device,
                                        const ref::model::TrainConfig& config,
                                        const ref::tensor::Tensor<double>& class_weights) {
  return std::make_unique<DeviceLearner>(device, config, class_weights);
}

}  // namespace normproof::verification::studies::published
