#pragma once

#include <span>
#include <vector>

#include "gpu/train/language.hpp"
#include "gpu/train/translation.hpp"
#include "ref/train/language.hpp"
#include "ref/train/translation.hpp"

/// Copies the state and the batches of a training run to a device and back.
namespace normproof::verification::checks::agreement {

gpu::train::TrainState on_device(gpu::device::Device& device,
                                 const ref::train::TrainState<double>& state);
ref::train::TrainState<double> copy_to_host(const gpu::train::TrainState& state);

std::vector<gpu::train::LabelledBatch> on_device(
    gpu::device::Device& device, std::span<const ref::train::LabelledBatch> batches);

std::vector<gpu::train::TextBatch> on_device(gpu::device::Device& device,
                                             std::span<const ref::train::TextBatch> batches);
std::vector<gpu::train::PairBatch> on_device(gpu::device::Device& device,
                                             std::span<const ref::train::PairBatch> batches);

/// Copies the gradients of all parameters from the device to host memory.
ref::train::Gradients<double> copy_to_host(const gpu::train::Gradients& gradients);

}  // namespace normproof::verification::checks::agreement
