#pragma once

#include "gpu/device/tensor.hpp"
#include "verification/evaluation/functions.hpp"

namespace normproof::verification::agreement {

/// evaluation::run_function on a device: the outputs of a function by their names there.
/// Throws    ContractError as the function does
gpu::device::NamedDeviceTensors run_function_on_device(gpu::device::Device& device,
                                                       const ref::model::FunctionOptions& function,
                                                       const evaluation::FunctionInputs& inputs);

}  // namespace normproof::verification::agreement
