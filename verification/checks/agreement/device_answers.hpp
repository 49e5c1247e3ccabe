#pragma once

#include <optional>

#include "gpu/device/device.hpp"
#include "gpu/norm/norm.hpp"
#include "ref/model/operation.hpp"
#include "verification/checks/evaluation/inputs.hpp"

namespace normproof::verification::checks::agreement {

/// Runs one step of a norm layer on the device: forward, and backward if grad_y is given.
/// Throws    ContractError as the layer does
gpu::norm::NormStep norm_step_on_device(gpu::device::Device& device,
                                        const ref::model::NormOptions& options,
                                        const ref::norm::NormInputs<double>& in,
                                        const gpu::device::NamedDeviceTensors& state);

/// Returns what the kernels of gpu compute in ordered mode: checks::evaluation::run_operation for a
/// norm layer, a function, an encoder, a layer of an encoder or of a decoder. Returns nothing for a
/// whole Transformer, whose training steps are compared instead (trajectory.hpp), and for an
/// optimizer, which keeps only the last step.
/// Requires  (C1) at least one step, and exactly one without `stacked`
/// Throws    ContractError as the operation does
std::optional<ref::tensor::NamedTensors<double>> answer_on_device(
    gpu::device::Device& device, const ref::model::Operation& operation,
    const checks::evaluation::EvalInputs& inputs, bool stacked);

}  // namespace normproof::verification::checks::agreement
