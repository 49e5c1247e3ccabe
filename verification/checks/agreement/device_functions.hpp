#pragma once

#include "gpu/device/tensor.hpp"
#include "verification/checks/evaluation/functions.hpp"

namespace normproof::verification::checks::agreement {

/// Whether a device computes the function with these options. It computes cross_entropy as training
/// does: the mean, without a cap and a z-loss. Models on a device do not use gated_rms_norm, so it
/// has no kernel.
bool runs_on_device(const ref::model::FunctionOptions& function);

/// Runs a function on a device. Returns the outputs of checks::evaluation::run_function under the
/// same names.
/// Requires  (C1) runs_on_device(function)
/// Throws    ContractError as the function does
gpu::device::NamedDeviceTensors run_function_on_device(
    gpu::device::Device& device, const ref::model::FunctionOptions& function,
    const checks::evaluation::FunctionInputs& inputs);

}  // namespace normproof::verification::checks::agreement
