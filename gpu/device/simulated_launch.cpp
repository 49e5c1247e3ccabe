#include "gpu/device/simulated_launch.hpp"

#include <numeric>

namespace normproof::gpu::device {

void Permutation::draw(std::uint64_t mixed) {
  first_ = static_cast<std::size_t>((mixed >> 32) % count_);
  step_ = static_cast<std::size_t>(mixed % count_) | 1;
  while (std::gcd(step_, count_) != 1) ++step_;
  step_ %= count_;
}

}  // namespace normproof::gpu::device
