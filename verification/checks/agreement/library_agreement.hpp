#pragma once

#include <cstdint>

#include "gpu/ops/library_products.hpp"
#include "verification/checks/agreement/agree.hpp"

namespace normproof::verification::checks::agreement {

/// The products of a library, each held to its bound given the operands that it was given: alone,
/// and as linear maps, feed-forwards, attention, encoders of the golden corpus's tier and steps of
/// training ask for them. What the layers do between the products is the ordered mode's, and is
/// held there. Products of integers and scaled powers of two have a tolerance of 0.
/// Requires  no job runs on the device at the same time
Rows agree_with_library(gpu::device::Device& device, const gpu::ops::Products& library,
                        gpu::ops::Precision precision, std::uint64_t seed,
                        golden::corpus::Tier tier, const Finished& finished);

}  // namespace normproof::verification::checks::agreement
