#pragma once

#include <cstdint>
#include <string>

#include "gpu/device/device.hpp"
#include "ref/numeric/float_format.hpp"
#include "verification/checks/agreement/row.hpp"

namespace normproof::verification::checks::agreement {

/// Compares layer_norm and rms_norm on the device with ref/norm/float32_norm.hpp, for tensors of
/// the given format. The result is the row "float32_norm_<format>". The cases have
/// - rows of one feature, of an odd number of features, longer than a warp's tile, and longer than
///   every tile,
/// - no rows, and more than 65535 rows,
/// - parameters in another format, no parameters, and a zero-centered gamma,
/// - a residual, with an upstream gradient for the sum,
/// - float32 and double arithmetic.
void compare_float32_norms(gpu::device::Device& device, std::uint64_t seed,
                           ref::numeric::FloatType format, Rows& rows);

/// Returns the name of a format's row of results, such as "float32_norm_bfloat16".
std::string float32_norm_row(ref::numeric::FloatType format);

}  // namespace normproof::verification::checks::agreement
