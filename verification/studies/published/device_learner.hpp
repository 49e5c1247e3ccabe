#pragma once

#include "gpu/device/device.hpp"
#include "verification/studies/published/learner.hpp"

namespace normproof::verification::studies::published {

/// Trains by gpu in ordered mode, whose bits are those of processor_learner.
/// Requires  `config` and the device stay; (C1) steps have no tap
/// Throws    ContractError in step(); DeviceError, also later
std::unique_ptr<Learner> device_learner(gpu::device::Device& device,
                                        const ref::model::TrainConfig& config,
                                        const ref::tensor::Tensor<double>& class_weights);

}  // namespace normproof::verification::studies::published
