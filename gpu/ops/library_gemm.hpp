#pragma once

#include <cstdint>

#include "gpu/device/tensor.hpp"
#include "gpu/ops/library_products.hpp"
#include "gpu/ops/packed_kernels.hpp"

/// The calls of a library of products: cuBLAS, or the simulated one.
namespace normproof::gpu::ops {

/// Matrices without gaps, packed: one of a tensor is given. A batch of one serves all.
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
  /// On the simulated device: element k of the matrix.
  double at(std::size_t batch, std::size_t row, std::size_t column) const;
};

/// c = a b, or c + a b, in double, in an order drawn.
void simulated_gemm(Device& device, const SimulatedSums& sums, const Matrices<double>& c,
                    const Matrices<const double>& a, const Matrices<const double>& b, bool add);
/// c = a b, sums and result as `sums` says; c [batches,M,N].
void simulated_gemm(Device& device, const SimulatedSums& sums, const device::DeviceTensor<float>& c,
                    const PackedMatrices& a, const PackedMatrices& b);

#if defined(NORMPROOF_CUDA)
/// c = a b, or c + a b, by cublasDgemmStridedBatched, or by cublasDgemmBatched where no one stride
/// leads from matrix to matrix.
/// Requires  the strides of LibraryProducts
void cublas_gemm(Device& device, const Matrices<double>& c, const Matrices<const double>& a,
                 const Matrices<const double>& b, bool add);
/// c = a b by cublasGemmStridedBatchedEx, sums in float32.
void cublas_gemm(Device& device, Precision precision, device::DeviceTensor<float>& c,
                 const PackedMatrices& a, const PackedMatrices& b);
#endif

}  // namespace normproof::gpu::ops
