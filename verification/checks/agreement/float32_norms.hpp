#pragma once

#include <cstdint>
#include <string>

#include "gpu/device/device.hpp"
#include "ref/numeric/float_format.hpp"
#include "verification/checks/agreement/row.hpp"

namespace normproof::verification::checks::agreement {

/// layer_norm and rms_norm of tensors of the format, on the device and by
/// ref/norm/float32_norm.hpp: a row named "float32_norm_<format>". Rows of one feature, of odd
/// widths, past a warp's tile and past every tile; no row, and more than 65535; parameters of
/// another format, absent, and around 1; norms of a sum, with the gradient of the sum; in float32,
/// and in double.
void agree_on_float32_norms(gpu::device::Device& device, std::uint64_t seed,
                            ref::numeric::FloatType format, Rows& rows);

/// "float32_norm_bfloat16"
std::string float32_norm_row(ref::numeric::FloatType format);

}  // namespace normproof::verification::checks::agreement
