#include "gpu/ops/dmma.hpp"

#include <cuda_runtime.h>

#include "gpu/device/cuda_device.cuh"

namespace normproof::gpu::ops {
namespace {

constexpr std::size_t kChain = 256;  // terms of a chain, R1

/// d = a b + d for a [8,4], b [4,8], d [8,8], spread over a warp: lane l has the element (l / 4,
/// l % 4) of a, (l % 4, l / 4) of b, and (l / 4, 2 (l % 4)) and its right neighbour of d.
__device__ void multiply_add(double (&d)[2], double a, double b) {
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+d"(d[0]), "+d"(d[1])
               : "d"(a), "d"(b));
}

__global__ void dmma_kernel(const double* a, const double* b, std::size_t terms, double* y) {
  const std::size_t lane = threadIdx.x, row = lane / 4, own = lane % 4;
  double total[2] = {0, 0};
  for (std::size_t begin = 0; begin < terms; begin += kChain) {
    double chain[2] = {0, 0};
    const std::size_t end = begin + kChain < terms ? begin + kChain : terms;
    for (std::size_t k = begin; k < end; k += 4) {
      // Past the end -0 and +0: fma(-0, 0, d) is d, also where that is -0.
      const bool inside = k + own < end;
      multiply_add(chain, inside ? a[row * terms + k + own] : -0.0,
                   inside ? b[(k + own) * 8 + row] : 0.0);
    }
    for (int i = 0; i < 2; ++i) total[i] = begin == 0 ? chain[i] : total[i] + chain[i];
  }
  for (std::size_t i = 0; i < 2; ++i) y[row * 8 + 2 * own + i] = total[i];
}

}  // namespace

void cuda_dmma(device::Device& device, device::ConstReals a, device::ConstReals b,
               std::size_t terms, device::Reals y) {
  dmma_kernel<<<1, 32, 0, device::stream_of(device)>>>(a.data, b.data, terms, y.data);
  NORMPROOF_CUDA_CALL(cudaGetLastError());
}

}  // namespace normproof::gpu::ops
