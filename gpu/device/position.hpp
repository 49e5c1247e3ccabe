#pragma once

#include <cstddef>

#include "ref/numeric/device_function.hpp"

namespace normproof::gpu::device {

/// Identifies a thread by its block and its index in the block.
struct Position {
  std::size_t block;
  int thread;
};

/// Identifies a thread by its cluster, its block in the cluster, and its index in the block.
struct ClusterPosition {
  std::size_t cluster;
  int rank;  ///< the block's index in its cluster
  int thread;
};

/// The shared memory of all blocks of a cluster. `[rank]` is the shared memory of the block with
/// that rank.
template <class Shared>
struct ClusterMemory {
  Shared* memory;  ///< of this block (GPU), or of rank 0 (simulated device)

  NORMPROOF_DEVICE Shared& operator[](int rank) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    return *static_cast<Shared*>(__cluster_map_shared_rank(memory, static_cast<unsigned>(rank)));
#else
    return memory[rank];
#endif
  }
};

}  // namespace normproof::gpu::device
