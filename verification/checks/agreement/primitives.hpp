#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gpu/device/device.hpp"
#include "verification/checks/agreement/row.hpp"

namespace normproof::verification::checks::agreement {

/// What the layers are made of, against ref on random inputs, a row each.
struct Primitive {
  std::string name;
  std::function<void(gpu::device::Device&, std::uint64_t seed, Rows&)> agree_on;
};

/// Sums, matrix products of many extents, exp, log, tanh and erf on hard and special arguments,
/// dropout, the embedding; the norms in float32, a row a format.
const std::vector<Primitive>& primitives();

}  // namespace normproof::verification::checks::agreement
