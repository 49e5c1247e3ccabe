#pragma once

#include <cstdint>

#include "gpu/device/tensor.hpp"
#include "gpu/ops/library_products.hpp"
#include "gpu/ops/packed_kernels.hpp"

/// Calls a matrix product library: cuBLAS, or the simulated library.
namespace normproof::gpu::ops {

/// Packed matrices without gaps, in one of the two tensors. A batch of one matrix serves every
/// batch.
struct PackedMatrices {
  device::DeviceTensor<float> float32;
  device::DeviceTensor<std::uint16_t> bits16;
  std::size_t rows, columns, batches;
  ref::numeric::FloatType type;

  bool are_floats() const { return ref::numeric::format_of(type).bytes == 4; }
  const void* data() const {
    return are_floats() ? static_cast<const void*>(float32.span().data)
                        : static_cast<const void*>(bits16.span().data);
  }
  std::size_t batch_stride() const { return batches == 1 ? 0 : rows * columns; }
  /// Returns an element of a matrix. Only for the simulated device.
  double at(std::size_t batch, std::size_t row, std::size_t column) const;
};

/// Computes c = a b, or c + a b, in double, in a random order.
void simulated_gemm(Device& device, const SimulatedSums& sums, const Matrices<double>& c,
                    const Matrices<const double>& a, const Matrices<const double>& b, bool add);
/// Computes c = a b with the formats of sums and result from `sums`. Shape: c [batches,M,N].
void simulated_gemm(Device& device, const SimulatedSums& sums, const device::DeviceTensor<float>& c,
                    const PackedMatrices& a, const PackedMatrices& b);

#if defined(NORMPROOF_CUDA)
/// Computes c = a b, or c + a b, with cublasDgemmStridedBatched; with cublasDgemmBatched if there
/// is no single stride between the matrices.
/// Requires  (C2) of LibraryProducts
void cublas_gemm(Device& device, const Matrices<double>& c, const Matrices<const double>& a,
                 const Matrices<const double>& b, bool add);
/// Computes c = a b with cublasGemmStridedBatchedEx, with sums in float32.
void cublas_gemm(Device& device, Precision precision, device::DeviceTensor<float>& c,
                 const PackedMatrices& a, const PackedMatrices& b);
#endif

}  // namespace normproof::gpu::ops
