#pragma once

#include "gpu/device/device.hpp"
#include "verification/studies/language/study_data.hpp"

namespace normproof::verification::studies::language {

/// Forwards all calls to another task, except that it runs training steps on a GPU. The losses,
/// gradients, states and statistics of the norms have the same bits as on the CPU. The underlying
/// task also performs a training step if the tap requests more than statistics of norms, or if the
/// GPU code rejects the step.
class DeviceTask : public training::ForwardingTask {
 public:
  /// Keeps references to all arguments, which must outlive this object. `task` must be the result
  /// of make_task(config, data).
  DeviceTask(gpu::device::Device& device, const training::RunConfig& config, const StudyData& data,
             training::RunTask& task)
      : ForwardingTask(task), device_(device), config_(config), data_(data) {}

  void begin_epoch(std::uint64_t epoch) override;
  training::TaskStepResult step(std::size_t k, ref::train::TrainState<double>& state,
                                const ref::encoder::TensorTap<double>& tap) const override;

 private:
  gpu::device::Device& device_;
  const training::RunConfig& config_;
  const StudyData& data_;
  std::vector<ref::train::TextBatch> texts_;
  std::vector<ref::train::PairBatch> pairs_;
};

}  // namespace normproof::verification::studies::language
