#pragma once

#include <optional>
#include <vector>

#include "gpu/device/device.hpp"
#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::checks::agreement {

/// Returns what gpu/norm/float32_norm.hpp computes for a case of layer_norm, rms_norm,
/// add_layer_norm or add_rms_norm with float32, bfloat16 or float16 tensors, as stored: y, the
/// gradients, and the statistics or the sum. Returns nothing for any other case: another layer,
/// dtype or number of steps; scales; a cast of x_hat; different dtypes of gamma and beta, or of x
/// and the other tensors of its shape.
std::optional<std::vector<ref::io::StoredTensor>> run_float32_norm_on_device(
    gpu::device::Device& device, const golden::corpus::Case& c);

}  // namespace normproof::verification::checks::agreement
