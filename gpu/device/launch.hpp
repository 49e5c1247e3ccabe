#pragma once

#include "gpu/device/device.hpp"
#include "gpu/device/simulated_launch.hpp"

/// Where host code launches kernels. A kernel is plain data with a body in a header that the host
/// compiles for the simulated device and nvcc for a GPU; what nvcc compiles is listed in the .cu
/// file of the folder, and a kernel left out there does not link.
///
/// A kernel of elements has `void operator()(std::size_t i) const`, for each i once, in any order.
///
/// A kernel of blocks has `kThreads` threads a block, which share a `Shared`; each keeps a
/// `Thread`. The body is cut in steps(), `void step(int s, Position at, Thread&, Shared&) const`:
/// every thread of a block has done step s when one begins step s + 1. 32 threads are a warp.
/// `kBlocks` of them have room for their registers on a multiprocessor of a GPU.
///
/// A kernel of clusters is the same of clusters of blocks, up to Device::most_blocks_of_a_cluster:
/// `void step(int s, ClusterPosition at, Thread&, ClusterMemory<Shared>) const`, and every thread
/// of a cluster has done step s when one begins step s + 1.
namespace normproof::gpu::device {

/// A kernel that has this type among its members is for the simulated device alone: those of tests.
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

/// Clusters of so many blocks each.
/// Requires  blocks <= device.most_blocks_of_a_cluster
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
