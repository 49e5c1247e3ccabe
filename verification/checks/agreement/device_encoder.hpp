#pragma once

#include "gpu/encoder/encoder_layer.hpp"
#include "verification/checks/evaluation/encoders.hpp"

namespace normproof::verification::checks::agreement {

/// checks::evaluation::run_encoder on a device: a layer of an encoder or of a decoder, with dropout
/// masks if they are given, or an encoder with its loss. Returns the same results under the same
/// names.
/// Throws    ContractError
gpu::device::NamedDeviceTensors run_encoder_on_device(
    gpu::device::Device& device, const ref::model::EncoderOperation& operation,
    const checks::evaluation::EncoderTensors& inputs, const gpu::ops::Products& products);

}  // namespace normproof::verification::checks::agreement
