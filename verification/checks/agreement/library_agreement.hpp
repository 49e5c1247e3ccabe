#pragma once

#include <cstdint>

#include "gpu/ops/library_products.hpp"
#include "verification/checks/agreement/agree.hpp"

namespace normproof::verification::checks::agreement {

/// Compares each matrix product that a library computes with the error bound for its operands. The
/// products are single products, and the products inside linear maps, feed-forwards, attention,
/// encoders of the golden corpus in the given tier, and training steps. Other computations are not
/// compared here, because compare_ordered_mode tests them. For products of integers and of scaled
/// powers of two the tolerance is 0.
/// Requires  no other job runs on the device at the same time
Rows compare_with_library_bounds(gpu::device::Device& device, const gpu::ops::Products& library,
                                 gpu::ops::Precision precision, std::uint64_t seed,
                                 golden::corpus::Tier tier, const Finished& finished);

}  // namespace normproof::verification::checks::agreement
