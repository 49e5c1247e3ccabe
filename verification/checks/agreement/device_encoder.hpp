#pragma once

#include "gpu/encoder/encoder_layer.hpp"
#include "verification/checks/evaluation/encoders.hpp"

namespace normproof::verification::checks::agreement {

/// Runs an encoder with its loss, or a layer of an encoder or decoder, on a device. A layer uses
/// dropout masks if they are given. Returns the results of checks::evaluation::run_encoder under
/// the same names.
/// Throws    ContractError
gpu::device::NamedDeviceTensors run_encoder_on_device(
    gpu::device::Device& device, const ref::model::EncoderOperation& operation,
    const checks::evaluation::EncoderTensors& inputs, const gpu::ops::Products& products);

}  // namespace normproof::verification::checks::agreement
