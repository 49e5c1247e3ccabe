#pragma once

#include <cuda_runtime.h>

#include "gpu/device/cuda_device.cuh"
#include "gpu/device/position.hpp"

/// Launches the kernels of launch.hpp on a GPU. Only .cu files include this header.
namespace normproof::gpu::device {

inline constexpr int kElementThreads = 256;
inline constexpr int kElementBlocks = 4;  // minimum resident blocks per SM: 64 registers per thread
inline constexpr int kWarpThreads = 32;
inline constexpr std::size_t kMaxGridBlocks = 2147483647;  // limit of a grid along x

template <class Kernel>
__global__ void __launch_bounds__(kElementThreads, kElementBlocks)
    element_kernel(std::size_t count, Kernel kernel) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride)
    kernel(i);
}

/// The number of blocks of a block kernel (launch.hpp) that run together in one CUDA block. Each of
/// them has its own Shared memory. The number is 4 if a block of the kernel is a single warp,
/// otherwise 1.
template <class Kernel>
inline constexpr int kBlocksPerCudaBlock = Kernel::kThreads == kWarpThreads ? 4 : 1;

template <class Kernel>
__device__ void synchronize_threads() {
  if constexpr (Kernel::kThreads == kWarpThreads)
    __syncwarp();
  else
    __syncthreads();
}

template <class Kernel>
__global__ void __launch_bounds__(Kernel::kThreads* kBlocksPerCudaBlock<Kernel>,
                                  Kernel::kBlocks / kBlocksPerCudaBlock<Kernel>)
    block_kernel(std::size_t blocks, Kernel kernel) {
  __shared__ typename Kernel::Shared shared[kBlocksPerCudaBlock<Kernel>];
  const int own = static_cast<int>(threadIdx.x) / Kernel::kThreads;
  const int thread = static_cast<int>(threadIdx.x) % Kernel::kThreads;
  const std::size_t stride = std::size_t{gridDim.x} * kBlocksPerCudaBlock<Kernel>;
  for (std::size_t block = std::size_t{blockIdx.x} * kBlocksPerCudaBlock<Kernel> + own; block < blocks;
       block += stride) {
    typename Kernel::Thread state;
    for (int s = 0; s < kernel.steps(); ++s) {
      kernel.step(s, Position{block, thread}, state, shared[own]);
      synchronize_threads<Kernel>();
    }
  }
}

/// The CUDA kernel that runs a cluster kernel of launch.hpp. It is never launched on a GPU without
/// clusters.
template <class Kernel>
__global__ void __launch_bounds__(Kernel::kThreads, Kernel::kBlocks)
    cluster_kernel(std::size_t clusters, int blocks, Kernel kernel) {
#if __CUDA_ARCH__ >= 900
  __shared__ typename Kernel::Shared shared;
  const ClusterMemory<typename Kernel::Shared> memory{&shared};
  const std::size_t stride = gridDim.x / blocks;
  for (std::size_t cluster = blockIdx.x / blocks; cluster < clusters; cluster += stride) {
    const ClusterPosition at{cluster, static_cast<int>(blockIdx.x % blocks),
                             static_cast<int>(threadIdx.x)};
    typename Kernel::Thread state;
    for (int s = 0; s < kernel.steps(); ++s) {
      kernel.step(s, at, state, memory);
      __cluster_barrier_arrive();
      __cluster_barrier_wait();
    }
  }
#endif
}

template <class Kernel>
void cuda_launch_elements(Device& device, std::size_t count, const Kernel& kernel) {
  if (count == 0) return;
  const std::size_t blocks = (count + kElementThreads - 1) / kElementThreads;
  element_kernel<<<static_cast<unsigned>(blocks < kMaxGridBlocks ? blocks : kMaxGridBlocks),
                   kElementThreads, 0, cuda_stream(device)>>>(count, kernel);
  NORMPROOF_CUDA_CALL(cudaGetLastError());
}

template <class Kernel>
void cuda_launch_blocks(Device& device, std::size_t blocks, const Kernel& kernel) {
  if (blocks == 0) return;
  const std::size_t grid = (blocks + kBlocksPerCudaBlock<Kernel> - 1) / kBlocksPerCudaBlock<Kernel>;
  block_kernel<<<static_cast<unsigned>(grid < kMaxGridBlocks ? grid : kMaxGridBlocks),
                 Kernel::kThreads * kBlocksPerCudaBlock<Kernel>, 0, cuda_stream(device)>>>(blocks, kernel);
  NORMPROOF_CUDA_CALL(cudaGetLastError());
}

template <class Kernel>
void cuda_launch_clusters(Device& device, std::size_t clusters, int blocks, const Kernel& kernel) {
  if (clusters == 0) return;
  const std::size_t most = kMaxGridBlocks / blocks;
  cudaLaunchAttribute of_clusters{};
  of_clusters.id = cudaLaunchAttributeClusterDimension;
  of_clusters.val.clusterDim = {static_cast<unsigned>(blocks), 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>((clusters < most ? clusters : most) * blocks));
  config.blockDim = dim3(Kernel::kThreads);
  config.stream = cuda_stream(device);
  config.attrs = &of_clusters;
  config.numAttrs = 1;
  NORMPROOF_CUDA_CALL(
      cudaLaunchKernelEx(&config, cluster_kernel<Kernel>, clusters, blocks, kernel));
}

}  // namespace normproof::gpu::device

/// Explicitly instantiates the launch of an element kernel, so that nvcc compiles the kernel.
#define NORMPROOF_CUDA_ELEMENTS(...)                                    \
  template void normproof::gpu::device::cuda_launch_elements(           \
      normproof::gpu::device::Device&, std::size_t, const __VA_ARGS__&);
#define NORMPROOF_CUDA_BLOCKS(...)                                      \
  template void normproof::gpu::device::cuda_launch_blocks(             \
      normproof::gpu::device::Device&, std::size_t, const __VA_ARGS__&);
#define NORMPROOF_CUDA_CLUSTERS(...)                                    \
  template void normproof::gpu::device::cuda_launch_clusters(           \
      normproof::gpu::device::Device&, std::size_t, int, const __VA_ARGS__&);
