#pragma once

#include "gpu/device/device.hpp"
#include "verification/studies/language/study_data.hpp"

namespace normproof::verification::studies::language {

/// Another task, whose steps are trained on a device, to the same bits: losses, gradients, states
/// and what norms leave. What is begun, validated and shown in full is the other task's: a step
/// whose tap asks for more than what norms leave, and one that the device refuses.
class DeviceTask : public training::WrappedTask {
 public:
  /// All have to stay; `task` is make_task(config, data).
  DeviceTask(gpu::device::Device& device, const training::RunConfig& config, const StudyData& data,
             training::RunTask& task)
      : WrappedTask(task), device_(device), config_(config), data_(data) {}

  void begin_epoch(std::uint64_t epoch) override;
  training::TaskStep step(std::size_t k, ref::train::TrainState<double>& state,
                          const ref::encoder::Tap<double>& tap) const override;

 private:
  gpu::device::Device& device_;
  const training::RunConfig& config_;
  const StudyData& data_;
  std::vector<ref::train::TextBatch> texts_;
  std::vector<ref::translation::PairBatch> pairs_;
};

}  // namespace normproof::verification::studies::language
