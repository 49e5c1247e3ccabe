#pragma once

#include <cstdint>
#include <functional>

#include "gpu/device/device.hpp"
#include "verification/agreement/row.hpp"

namespace normproof::verification::agreement {

/// What the layers are made of, against ref on random inputs: sums, matrix products of many
/// extents, exp, log, tanh and erf on hard and special arguments, dropout, the embedding.
/// `finished()` after each of these rows.
void agree_on_primitives(gpu::device::Device& device, std::uint64_t seed, Rows& rows,
                         const std::function<void()>& finished);

}  // namespace normproof::verification::agreement
