#pragma once

#include "gpu/device/device.hpp"
#include "gpu/device/simulated_launch.hpp"

/// Launches kernels from host code. A kernel is a plain struct whose body is in a header. The host
/// compiler compiles it for the simulated device, nvcc compiles it for a GPU. The .cu file of each
/// folder lists the kernels that nvcc compiles. If a kernel is not listed there, linking fails.
///
/// An element kernel has `void operator()(std::size_t i) const`, which is called once for each i,
/// in any order.
///
/// A block kernel has `kThreads` threads per block, which share one `Shared`; each thread has its
/// own `Thread` state. The body is split into steps(): `void step(int s, Position at, Thread&,
/// Shared&) const`. All threads of a block finish step s before any thread begins step s + 1. A
/// warp is 32 threads. `kBlocks` is the minimum number of resident blocks per SM (the second
/// argument of `__launch_bounds__`).
///
/// A cluster kernel is a block kernel for clusters of up to Device::max_cluster_blocks blocks:
/// `void step(int s, ClusterPosition at, Thread&, ClusterMemory<Shared>) const`. All threads of a
/// cluster finish step s before any thread begins step s + 1.
namespace normproof::gpu::device {

/// Whether a kernel has the member type OnlySimulated. Such kernels are used in tests and run only
/// on the simulated device.
template <class Kernel>
concept OnlySimulated = requires {
  typename Kernel::OnlySimulated;
};

#if defined(NORMPROOF_CUDA)
template <class Kernel>
void cuda_launch_elements(Device& device, std::size_t count, const Kernel& kernel);
template <class Kernel>
void cuda_launch_blocks(Device& device, std::size_t blocks, const Kernel& kernel);
template <class Kernel>
void cuda_launch_clusters(Device& device, std::size_t clusters, int blocks, const Kernel& kernel);
#endif

/// Launches an element kernel for the indices 0 .. count-1.
/// Throws    DeviceError
template <class Kernel>
void launch_elements(Device& device, std::size_t count, const Kernel& kernel) {
#if defined(NORMPROOF_CUDA)
  if constexpr (!OnlySimulated<Kernel>)
    if (device.backend() == Backend::cuda) return cuda_launch_elements(device, count, kernel);
#endif
  device.enqueue(
      [order = device.next_order(), count, kernel] { simulate_elements(order, count, kernel); });
}

/// Launches a block kernel with the given number of blocks.
/// Throws    DeviceError
template <class Kernel>
void launch_blocks(Device& device, std::size_t blocks, const Kernel& kernel) {
#if defined(NORMPROOF_CUDA)
  if constexpr (!OnlySimulated<Kernel>)
    if (device.backend() == Backend::cuda) return cuda_launch_blocks(device, blocks, kernel);
#endif
  device.enqueue(
      [order = device.next_order(), blocks, kernel] { simulate_blocks(order, blocks, kernel); });
}

/// Launches a cluster kernel with the given number of clusters, each of `blocks` blocks.
/// Requires  blocks <= device.max_cluster_blocks
/// Throws    DeviceError
template <class Kernel>
void launch_clusters(Device& device, std::size_t clusters, int blocks, const Kernel& kernel) {
#if defined(NORMPROOF_CUDA)
  if constexpr (!OnlySimulated<Kernel>)
    if (device.backend() == Backend::cuda)
      return cuda_launch_clusters(device, clusters, blocks, kernel);
#endif
  device.enqueue([order = device.next_order(), clusters, blocks, kernel] {
    simulate_clusters(order, clusters, blocks, kernel);
  });
}

}  // namespace normproof::gpu::device
