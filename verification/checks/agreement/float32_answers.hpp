#pragma once

#include <optional>
#include <vector>

#include "gpu/device/device.hpp"
#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::checks::agreement {

/// What gpu/norm/float32_norm.hpp answers to a case of layer_norm, rms_norm, add_layer_norm or
/// add_rms_norm whose tensors are float32, bfloat16 or float16, as it stores it: y, the gradients,
/// and the statistics or the sum. Nothing of another case: of another layer, dtype or number of
/// steps, of scales, of an x_hat that is cast, and where gamma and beta, or x and the other tensors
/// of its shape, have two dtypes.
std::optional<std::vector<ref::io::StoredTensor>> float32_answer_on_device(
    gpu::device::Device& device, const golden::corpus::Case& c);

}  // namespace normproof::verification::checks::agreement
