#include "gpu/device/simulated_launch.hpp"

#include <numeric>

namespace normproof::gpu::device {

Permutation::Permutation(std::uint64_t seed, std::size_t count) : count_(count) {
  if (seed == 0) return;
  const std::uint64_t mixed = seed * 0x9e3779b97f4a7c15u;  // the bits of seeds 1, 2, ... far apart
  first_ = static_cast<std::size_t>((mixed >> 32) % count);
  step_ = static_cast<std::size_t>(mixed % count) | 1;
  while (std::gcd(step_, count) != 1) ++step_;
  step_ %= count;
}

}  // namespace normproof::gpu::device
