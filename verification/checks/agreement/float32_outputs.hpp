#pragma once

#include <optional>
#include <vector>

#include "gpu/device/device.hpp"
#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::checks::agreement {

/// Runs gpu/norm/float32_norm.hpp on a case of layer_norm, rms_norm, add_layer_norm or add_rms_norm
/// whose tensors are float32, bfloat16 or float16. Returns the outputs as stored: y, the gradients,
/// and the statistics or the sum. Returns nothing for a case that float32_norm does not support:
/// - a case with another layer or another dtype, with more than one step, with block scales, or
///   with a cast of x_hat,
/// - a case in which gamma and beta have different dtypes,
/// - a case in which x and another tensor with the shape of x have different dtypes.
std::optional<std::vector<ref::io::StoredTensor>> run_float32_norm_on_device(
    gpu::device::Device& device, const golden::corpus::Case& c);

}  // namespace normproof::verification::checks::agreement
