#pragma once

#include <cstdint>

#include "gpu/ops/library_products.hpp"
#include "verification/checks/agreement/agree.hpp"

namespace normproof::verification::checks::agreement {

/// Compares each product of a library with its bound for the operands that it was given. The
/// products are single ones, and those of linear maps, feed-forwards, attention, encoders of this
/// tier of the golden corpus, and training steps. The computations between the products are tested
/// in ordered mode. For products of integers and scaled powers of two the tolerance is 0.
/// Requires  no other job runs on the device at the same time
Rows agree_with_library(gpu::device::Device& device, const gpu::ops::Products& library,
                        gpu::ops::Precision precision, std::uint64_t seed,
                        golden::corpus::Tier tier, const Finished& finished);

}  // namespace normproof::verification::checks::agreement
