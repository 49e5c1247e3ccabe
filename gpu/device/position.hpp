#pragma once

#include <cstddef>

#include "ref/numeric/device_function.hpp"

namespace normproof::gpu::device {

/// Which thread of which block.
struct Position {
  std::size_t block;
  int thread;
};

/// Which thread of which block of which cluster.
struct ClusterPosition {
  std::size_t cluster;
  int rank;  ///< the block's number in its cluster
  int thread;
};

/// What the blocks of a cluster share, each its own: [rank] is that of a block, of another one too.
template <class Shared>
struct ClusterMemory {
  Shared* memory;  ///< on a GPU the block's own, on the simulated device that of rank 0

  NORMPROOF_DEVICE Shared& operator[](int rank) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    return *static_cast<Shared*>(__cluster_map_shared_rank(memory, static_cast<unsigned>(rank)));
#else
    return memory[rank];
#endif
  }
};

}  // namespace normproof::gpu::device
