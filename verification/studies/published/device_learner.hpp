#pragma once

#include "gpu/device/device.hpp"
#include "verification/studies/published/learner.hpp"

namespace normproof::verification::studies::published {

/// Creates a learner that trains on a GPU in ordered mode. It computes the same bits as
/// processor_learner.
/// Requires  `config` and the device outlive the learner; (C1) steps have no tap
/// Throws    ContractError in step(); DeviceError, possibly delayed
std::unique_ptr<Learner> device_learner(gpu::device::Device& device,
                                        const ref::model::TrainConfig& config,
                                        const ref::tensor::Tensor<double>& class_weights);

}  // namespace normproof::verification::studies::published
