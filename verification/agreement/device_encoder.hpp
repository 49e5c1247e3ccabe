#pragma once

#include "gpu/encoder/encoder_layer.hpp"
#include "verification/evaluation/encoders.hpp"

namespace normproof::verification::agreement {

/// Whether a device computes it: it has no layers of decoders.
bool is_on_device(const ref::model::EncoderOperation& operation);

/// evaluation::run_encoder on a device: an encoder layer, with masks of its dropouts where they are
/// given, or an encoder with its loss; the same results under the same names.
/// Requires  (C1) is_on_device
/// Throws    ContractError
gpu::device::NamedDeviceTensors run_encoder_on_device(gpu::device::Device& device,
                                                      const ref::model::EncoderOperation& operation,
                                                      const evaluation::EncoderTensors& inputs,
                                                      const gpu::ops::Products& products);

}  // namespace normproof::verification::agreement
