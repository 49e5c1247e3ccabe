#pragma once

#include <span>
#include <vector>

#include "gpu/train/trainer.hpp"
#include "ref/train/trainer.hpp"

/// What a run of training holds, on a device and back on the host.
namespace normproof::verification::agreement {

gpu::train::TrainState on_device(gpu::device::Device& device,
                                 const ref::train::TrainState<double>& state);
ref::train::TrainState<double> on_host(const gpu::train::TrainState& state);

std::vector<gpu::train::LabelledBatch> on_device(
    gpu::device::Device& device, std::span<const ref::train::LabelledBatch> batches);

/// Downloads gradients.
ref::train::Gradients<double> on_host(const gpu::train::Gradients& gradients);

}  // namespace normproof::verification::agreement
