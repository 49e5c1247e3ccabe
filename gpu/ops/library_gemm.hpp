#pragma once

#include <cstdint>

#include "gpu/device/tensor.hpp"
#include "gpu/ops/library_products.hpp"
#include "gpu/ops/packed_kernels.hpp"

/// Calls a library for matrix products: cuBLAS, or the library that the simulated device imitates.
namespace normproof::gpu::ops {

/// Matrices that are stored without gaps. Depending on `type`, the tensor `float32` or the tensor
/// `bits16` holds them; the other one is absent. If there is only one matrix, it is used for the
/// whole batch.
struct PackedMatrices {
  device::DeviceTensor<float> float32;
  device::DeviceTensor<std::uint16_t> bits16;
  std::size_t rows, columns, batches;
  ref::numeric::FloatType type;

  bool are_stored_as_float32() const { return ref::numeric::float_format_info(type).bytes == 4; }
  const void* data() const {
    return are_stored_as_float32() ? static_cast<const void*>(float32.span().data)
                                   : static_cast<const void*>(bits16.span().data);
  }
  std::size_t batch_stride() const { return batches == 1 ? 0 : rows * columns; }
  /// Returns an element of a matrix. Only the simulated device can call it.
  double at(std::size_t batch, std::size_t row, std::size_t column) const;
};

/// Computes c = a b, or c = c + a b if `add` is true, in double. Terms are added in a random order.
void simulated_gemm(Device& device, const SimulatedSums& sums, const Matrices<double>& c,
                    const Matrices<const double>& a, const Matrices<const double>& b, bool add);
/// Computes c = a b. `sums` selects how terms are added and rounded.
/// Shapes    c [batches,M,N]
void simulated_gemm(Device& device, const SimulatedSums& sums, const device::DeviceTensor<float>& c,
                    const PackedMatrices& a, const PackedMatrices& b);

#if defined(NORMPROOF_CUDA)
/// Computes c = a b, or c = c + a b if `add` is true, with cublasDgemmStridedBatched. If the stride
/// between the matrices is not constant, it calls cublasDgemmBatched.
/// Requires  the strides that LibraryProducts requires
void cublas_gemm(Device& device, const Matrices<double>& c, const Matrices<const double>& a,
                 const Matrices<const double>& b, bool add);
/// Computes c = a b with cublasGemmStridedBatchedEx, which adds in float32.
void cublas_gemm(Device& device, Precision precision, device::DeviceTensor<float>& c,
                 const PackedMatrices& a, const PackedMatrices& b);
#endif

}  // namespace normproof::gpu::ops
