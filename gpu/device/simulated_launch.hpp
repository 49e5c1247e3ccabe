#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "gpu/device/position.hpp"

/// The simulated device: launch.hpp's kernels on the processor, one thread after the other.
namespace normproof::gpu::device {

/// 0 .. count-1 in an order drawn from the seed: i -> (first + i step) mod count, where step and
/// count have no common divisor.
class Permutation {
 public:
  Permutation(std::uint64_t seed, std::size_t count);
  std::size_t operator()(std::size_t i) const {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::size_t>((Wide{i} * step_ + first_) % count_);
  }
  /// What comes after `element`; first again after the last.
  std::size_t next(std::size_t element) const {
    return element < count_ - step_ ? element + step_ : element - (count_ - step_);
  }

 private:
  std::size_t count_;
  std::size_t first_ = 0;
  std::size_t step_ = 1;
};

template <class Kernel>
void simulate_elements(std::uint64_t order, std::size_t count, const Kernel& kernel) {
  if (count == 0) return;
  const Permutation elements(order, count);
  std::size_t element = elements(0);
  for (std::size_t i = 0; i < count; ++i, element = elements.next(element)) kernel(element);
}

/// Shared and Thread begin as NaN, as memory does.
template <class Kernel>
void simulate_blocks(std::uint64_t order, std::size_t blocks, const Kernel& kernel) {
  using Shared = typename Kernel::Shared;
  using Thread = typename Kernel::Thread;
  static_assert(std::is_trivially_copyable_v<Shared> && std::is_trivially_copyable_v<Thread>);
  if (blocks == 0) return;
  const Permutation block(order, blocks);
  Shared shared;
  Thread threads[Kernel::kThreads];
  for (std::size_t b = 0; b < blocks; ++b) {
    std::memset(static_cast<void*>(&shared), 0xff, sizeof shared);
    std::memset(static_cast<void*>(&threads), 0xff, sizeof threads);
    for (int s = 0; s < kernel.steps(); ++s) {
      const Permutation order_of_threads(order == 0 ? 0 : order + b + static_cast<std::uint64_t>(s),
                                         Kernel::kThreads);
      std::size_t own = order_of_threads(0);
      for (std::size_t t = 0; t < Kernel::kThreads; ++t, own = order_of_threads.next(own))
        kernel.step(s, Position{block(b), static_cast<int>(own)}, threads[own], shared);
    }
  }
}

/// The threads of all blocks of a cluster in an order drawn anew at each step.
template <class Kernel>
void simulate_clusters(std::uint64_t order, std::size_t clusters, int blocks,
                       const Kernel& kernel) {
  using Shared = typename Kernel::Shared;
  using Thread = typename Kernel::Thread;
  static_assert(std::is_trivially_copyable_v<Shared> && std::is_trivially_copyable_v<Thread>);
  if (clusters == 0) return;
  const auto count = static_cast<std::size_t>(blocks) * Kernel::kThreads;
  const Permutation cluster(order, clusters);
  std::vector<Shared> shared(static_cast<std::size_t>(blocks));
  std::vector<Thread> threads(count);
  for (std::size_t c = 0; c < clusters; ++c) {
    std::memset(static_cast<void*>(shared.data()), 0xff, shared.size() * sizeof(Shared));
    std::memset(static_cast<void*>(threads.data()), 0xff, threads.size() * sizeof(Thread));
    for (int s = 0; s < kernel.steps(); ++s) {
      const Permutation of_threads(order == 0 ? 0 : order + c + static_cast<std::uint64_t>(s),
                                   count);
      std::size_t own = of_threads(0);
      for (std::size_t t = 0; t < count; ++t, own = of_threads.next(own))
        kernel.step(s,
                    ClusterPosition{cluster(c), static_cast<int>(own / Kernel::kThreads),
                                    static_cast<int>(own % Kernel::kThreads)},
                    threads[own], ClusterMemory<Shared>{shared.data()});
    }
  }
}

}  // namespace normproof::gpu::device
