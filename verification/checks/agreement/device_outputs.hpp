#pragma once

#include <optional>

#include "gpu/device/device.hpp"
#include "gpu/norm/norm.hpp"
#include "ref/model/operation.hpp"
#include "verification/checks/evaluation/inputs.hpp"

namespace normproof::verification::checks::agreement {

/// Runs one step of a norm layer on the device: the forward, and the backward if grad_y is given.
/// Throws    ContractError as the layer does
gpu::norm::NormStep norm_step_on_device(gpu::device::Device& device,
                                        const ref::model::NormOptions& options,
                                        const ref::norm::NormInputs<double>& in,
                                        const gpu::device::NamedDeviceTensors& state);

/// Runs an operation on the device in ordered mode and returns its outputs under the names of
/// checks::evaluation::run_operation. The operation may be a norm layer, a function, an encoder, or
/// a layer of an encoder or decoder. Returns nothing for a whole Transformer, because
/// compare_trajectory (trajectory.hpp) compares its training steps instead. Also returns nothing
/// for an optimizer, because a device keeps only the results of the last step, and for functions
/// and options that a device does not have (runs_on_device).
/// Requires  (C1) at least one step, and exactly one without `stacked`
/// Throws    ContractError as the operation does
std::optional<ref::tensor::NamedTensors<double>> run_operation_on_device(
    gpu::device::Device& device, const ref::model::Operation& operation,
    const checks::evaluation::EvalInputs& inputs, bool stacked);

}  // namespace normproof::verification::checks::agreement
