#include "gpu/ops/dmma.hpp"

#include <cuda_runtime.h>

#include "gpu/device/cuda_device.cuh"
#include "gpu/device/errors.hpp"

namespace normproof::gpu::ops {
namespace {

constexpr std::size_t kChain = 256;  // terms per chain (R1)

/// The instruction mma.m8n8k4: d = a b + d for a [8,4], b [4,8] and d [8,8], distributed over a
/// warp. Lane l holds element (l / 4, l % 4) of `a`, element (l % 4, l / 4) of `b`, and element (l
/// / 4, 2 (l % 4)) of `d` with its right neighbor.
struct Mma8x8x4 {
  static constexpr std::size_t kRows = 8, kTerms = 4;
  static __device__ void multiply_add(double (&d)[1][2], const double (&a)[1][1],
                                      const double (&b)[1]) {
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(d[0][0]), "+d"(d[0][1])
                 : "d"(a[0][0]), "d"(b[0]));
  }
};

/// The instruction mma.m16n8k8: d = a b + d for a [16,8], b [8,8] and d [16,8]. The lanes hold
/// elements as in Mma8x8x4. The additional elements of a lane are in the arrays: a[i][j] is 8 i
/// rows below a[0][0] and 4 j columns to its right, b[j] is 4 j rows below b[0], and d[i] is 8 i
/// rows below d[0].
struct Mma16x8x8 {
  static constexpr std::size_t kRows = 16, kTerms = 8;
  static __device__ void multiply_add(double (&d)[2][2], const double (&a)[2][2],
                                      const double (&b)[2]) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+d"(d[0][0]), "+d"(d[0][1]), "+d"(d[1][0]), "+d"(d[1][1])
        : "d"(a[0][0]), "d"(a[1][0]), "d"(a[0][1]), "d"(a[1][1]), "d"(b[0]), "d"(b[1]));
#endif
  }
};

template <class Mma>
__global__ void dmma_kernel(const double* a, const double* b, std::size_t terms, double* y) {
  constexpr std::size_t kRowParts = Mma::kRows / 8, kTermParts = Mma::kTerms / 4;
  const std::size_t row = threadIdx.x / 4, own = threadIdx.x % 4;
  double total[kRowParts][2] = {};
  for (std::size_t begin = 0; begin < terms; begin += kChain) {
    double chain[kRowParts][2] = {};
    const std::size_t end = begin + kChain < terms ? begin + kChain : terms;
    for (std::size_t k = begin; k < end; k += Mma::kTerms) {
      double left[kRowParts][kTermParts], right[kTermParts];
      for (std::size_t d = 0; d < kTermParts; ++d) {
        // Terms past the end use the operands -0 and +0, because fma(-0, 0, d) is d even if d is
        // -0.
        const std::size_t term = k + 4 * d + own;
        right[d] = term < end ? b[term * 8 + row] : 0.0;
        for (std::size_t h = 0; h < kRowParts; ++h)
          left[h][d] = term < end ? a[(8 * h + row) * terms + term] : -0.0;
      }
      Mma::multiply_add(chain, left, right);
    }
    for (std::size_t h = 0; h < kRowParts; ++h)
      for (std::size_t i = 0; i < 2; ++i)
        total[h][i] = begin == 0 ? chain[h][i] : total[h][i] + chain[h][i];
  }
  for (std::size_t h = 0; h < kRowParts; ++h)
    for (std::size_t i = 0; i < 2; ++i) y[(8 * h + row) * 8 + 2 * own + i] = total[h][i];
}

}  // namespace

void cuda_dmma(device::Device& device, std::size_t rows, device::ConstReals a, device::ConstReals b,
               std::size_t terms, device::Reals y) {
  if (rows == Mma8x8x4::kRows) {
    dmma_kernel<Mma8x8x4><<<1, 32, 0, device::cuda_stream(device)>>>(a.data, b.data, terms, y.data);
  } else {
    int number = 0, major = 0;
    NORMPROOF_CUDA_CALL(cudaGetDevice(&number));
    NORMPROOF_CUDA_CALL(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, number));
    if (major < 9)
      throw device::DeviceError(
          "mma.m16n8k8 in double is an instruction of compute capability 9.0; expected such a GPU");
    dmma_kernel<Mma16x8x8>
        <<<1, 32, 0, device::cuda_stream(device)>>>(a.data, b.data, terms, y.data);
  }
  NORMPROOF_CUDA_CALL(cudaGetLastError());
}

}  // namespace normproof::gpu::ops
