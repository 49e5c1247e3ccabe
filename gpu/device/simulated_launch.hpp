#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "gpu/device/position.hpp"

/// Runs the kernels of launch.hpp on the processor, one thread after the other. This is the
/// simulated device.
namespace normproof::gpu::device {

/// A permutation of 0 .. count-1 drawn from the seed. Each element is its predecessor plus `step`,
/// modulo count; step and count are coprime. Seed 0 gives the ascending order.
class Permutation {
 public:
  Permutation(std::uint64_t seed, std::size_t count) : count_(count) {
    if (seed == 0) return;
    const std::uint64_t mixed = seed * 0x9e3779b97f4a7c15u;  // spreads the bits of seeds 1, 2, ...
    if (std::has_single_bit(count)) {                        // as draw(), without a division
      first_ = static_cast<std::size_t>(mixed >> 32) & (count - 1);
      step_ = (static_cast<std::size_t>(mixed) | 1) & (count - 1);
    } else {
      draw(mixed);
    }
  }
  /// Returns the first element of the permutation.
  /// Requires  count > 0
  std::size_t first() const { return first_; }
  /// Returns the element that follows `element` in the permutation. The element after the last one
  /// is first().
  std::size_t next(std::size_t element) const {
    return element < count_ - step_ ? element + step_ : element - (count_ - step_);
  }

 private:
  void draw(std::uint64_t mixed);

  std::size_t count_;
  std::size_t first_ = 0;
  std::size_t step_ = 1;
};

/// The number of consecutive elements that run as one batch, so that their data stay in the
/// processor's caches. Each batch has its own order of elements.
inline constexpr std::size_t kElementBatch = 1024;

template <class Kernel>
void simulate_elements(std::uint64_t order, std::size_t count, const Kernel& kernel) {
  if (count == 0) return;
  const Permutation parts(order, (count - 1) / kElementBatch + 1);
  std::size_t done = 0;
  for (std::size_t part = parts.first(); done < count; part = parts.next(part)) {
    const std::size_t begin = part * kElementBatch;
    const std::size_t together = std::min(kElementBatch, count - begin);
    const Permutation elements(order == 0 ? 0 : order + part, together);
    std::size_t element = elements.first();
    for (std::size_t i = 0; i < together; ++i, element = elements.next(element))
      kernel(begin + element);
    done += together;
  }
}

/// Runs a block kernel, one block after the other. The bytes of Shared and Thread start as 0xff, so
/// that doubles in them are NaN, as in new device memory.
template <class Kernel>
void simulate_blocks(std::uint64_t order, std::size_t blocks, const Kernel& kernel) {
  using Shared = typename Kernel::Shared;
  using Thread = typename Kernel::Thread;
  static_assert(std::is_trivially_copyable_v<Shared> && std::is_trivially_copyable_v<Thread>);
  if (blocks == 0) return;
  const Permutation block_order(order, blocks);
  std::size_t block = block_order.first();
  Shared shared;
  Thread threads[Kernel::kThreads];
  for (std::size_t b = 0; b < blocks; ++b, block = block_order.next(block)) {
    std::memset(static_cast<void*>(&shared), 0xff, sizeof shared);
    std::memset(static_cast<void*>(&threads), 0xff, sizeof threads);
    for (int s = 0; s < kernel.steps(); ++s) {
      const Permutation order_of_threads(order == 0 ? 0 : order + b + static_cast<std::uint64_t>(s),
                                         Kernel::kThreads);
      std::size_t own = order_of_threads.first();
      for (std::size_t t = 0; t < Kernel::kThreads; ++t, own = order_of_threads.next(own))
        kernel.step(s, Position{block, static_cast<int>(own)}, threads[own], shared);
    }
  }
}

/// Runs a cluster kernel, one cluster after the other. Within a cluster, the order of the threads
/// of all blocks is drawn again for each step.
template <class Kernel>
void simulate_clusters(std::uint64_t order, std::size_t clusters, int blocks,
                       const Kernel& kernel) {
  using Shared = typename Kernel::Shared;
  using Thread = typename Kernel::Thread;
  static_assert(std::is_trivially_copyable_v<Shared> && std::is_trivially_copyable_v<Thread>);
  if (clusters == 0) return;
  const auto count = static_cast<std::size_t>(blocks) * Kernel::kThreads;
  const Permutation cluster_order(order, clusters);
  std::size_t cluster = cluster_order.first();
  std::vector<Shared> shared(static_cast<std::size_t>(blocks));
  std::vector<Thread> threads(count);
  for (std::size_t c = 0; c < clusters; ++c, cluster = cluster_order.next(cluster)) {
    std::memset(static_cast<void*>(shared.data()), 0xff, shared.size() * sizeof(Shared));
    std::memset(static_cast<void*>(threads.data()), 0xff, threads.size() * sizeof(Thread));
    for (int s = 0; s < kernel.steps(); ++s) {
      const Permutation thread_order(order == 0 ? 0 : order + c + static_cast<std::uint64_t>(s),
                                     count);
      std::size_t own = thread_order.first();
      for (std::size_t t = 0; t < count; ++t, own = thread_order.next(own))
        kernel.step(s,
                    ClusterPosition{cluster, static_cast<int>(own / Kernel::kThreads),
                                    static_cast<int>(own % Kernel::kThreads)},
                    threads[own], ClusterMemory<Shared>{shared.data()});
    }
  }
}

}  // namespace normproof::gpu::device
