#pragma once

#include <optional>

#include "gpu/device/device.hpp"
#include "gpu/norm/norm.hpp"
#include "ref/model/operation.hpp"
#include "verification/checks/evaluation/inputs.hpp"

namespace normproof::verification::checks::agreement {

/// One step of a norm layer there: forward, and backward where grad_y is given.
/// Throws    ContractError as the layer does
gpu::norm::NormStep norm_step_on_device(gpu::device::Device& device,
                                        const ref::model::NormOptions& options,
                                        const ref::norm::NormInputs<double>& in,
                                        const gpu::device::NamedDeviceTensors& state);

/// What the kernels of gpu answer in ordered mode: checks::evaluation::run_operation of a norm layer, a
/// function, an encoder, its layer or a decoder's; nothing of a whole Transformer, of which steps
/// of training are compared (trajectory.hpp), or of an optimizer, which keeps no step but the last.
/// Requires  (C1) one step at least, and exactly one without `stacked`
/// Throws    ContractError as the operation does
std::optional<ref::tensor::NamedTensors<double>> answer_on_device(
    gpu::device::Device& device, const ref::model::Operation& operation,
    const checks::evaluation::EvalInputs& inputs, bool stacked);

}  // namespace normproof::verification::checks::agreement
