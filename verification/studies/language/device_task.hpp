#pragma once

#include "gpu/device/device.hpp"
#include "verification/studies/language/study_data.hpp"

namespace normproof::verification::studies::language {

/// Forwards to a task but takes its steps on a device, with the same bits: losses, gradients,
/// states and statistics of the norms. A step whose tap asks for more than statistics of norms, or
/// which the device rejects, is taken by the other task, as are epochs and validation.
class DeviceTask : public training::WrappedTask {
 public:
  /// Keeps references to all arguments, which must outlive it. `task` is make_task(config, data).
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
  std::vector<ref::train::PairBatch> pairs_;
};

}  // namespace normproof::verification::studies::language
