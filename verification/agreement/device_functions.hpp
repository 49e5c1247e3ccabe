#pragma once

#include "gpu/device/tensor.hpp"
#include "verification/evaluation/functions.hpp"

namespace normproof::verification::agreement {

/// evaluation::run_function on a device. Returns the outputs of the function under the same names.
/// Throws    ContractError as the function does
gpu::device::NamedDeviceTensors run_function_on_device(gpu::device::Device& device,
                                                       const ref::model::FunctionOptions& function,
                                                       const evaluation::FunctionInputs& inputs);

}  // namespace normproof::verification::agreement
