#include <fmt/format.h>

#include "gpu/device/cuda_device.cuh"
#include "gpu/device/errors.hpp"
#include "gpu/ops/library_gemm.hpp"

// Row-major c = a b is column-major c^T = b^T a^T: a and b change places, and an operand counts as
// transposed where its columns, not its rows, lie apart.
namespace normproof::gpu::ops {
namespace {

struct Operand {
  cublasOperation_t operation;
  int leading;
};

template <class T>
Operand operand_of(const Matrices<T>& m, const char* name) {
  if (m.column_stride == 1 || m.columns == 1)
    return {CUBLAS_OP_N, static_cast<int>(m.rows == 1 ? m.columns : m.row_stride)};
  if (m.row_stride == 1 || m.rows == 1)
    return {CUBLAS_OP_T, static_cast<int>(m.columns == 1 ? m.rows : m.column_stride)};
  throw device::DeviceError(
      fmt::format("matmul: {} has the strides {} and {}; expected one of them to be 1 for cuBLAS",
                  name, m.row_stride, m.column_stride));
}

cudaDataType_t data_type(Packing packing) {
  if (packing == Packing::bfloat16) return CUDA_R_16BF;
  return packing == Packing::float16 ? CUDA_R_16F : CUDA_R_32F;
}

}  // namespace

void cublas_gemm(Device& device, const Matrices<double>& c, const Matrices<const double>& a,
                 const Matrices<const double>& b, bool add) {
  const Operand left = operand_of(b, "b"), right = operand_of(a, "a");
  const Operand result = operand_of(c, "c");
  if (result.operation != CUBLAS_OP_N)
    throw device::DeviceError("matmul: c has columns apart; expected rows of neighbours");
  const double one = 1, beta = add ? 1 : 0;
  // The outer batch axis in a loop, the inner one strided.
  for (std::size_t p = 0; p < c.batch_size; ++p)
    NORMPROOF_CUDA_CALL(cublasDgemmStridedBatched(
        device::cublas_of(device), left.operation, right.operation, static_cast<int>(c.columns),
        static_cast<int>(c.rows), static_cast<int>(a.columns), &one,
        b.data.data + b.first + p * b.batch_stride, left.leading,
        static_cast<long long>(b.inner_batch_stride), a.data.data + a.first + p * a.batch_stride,
        right.leading, static_cast<long long>(a.inner_batch_stride), &beta,
        c.data.data + c.first + p * c.batch_stride, result.leading,
        static_cast<long long>(c.inner_batch_stride), static_cast<int>(c.inner_batch_size)));
}

void cublas_gemm(Device& device, Precision precision, device::DeviceTensor<float>& c,
                 const PackedMatrices& a, const PackedMatrices& b) {
  const float one = 1, zero = 0;
  const auto compute =
      precision == Precision::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  const int m = static_cast<int>(a.rows), n = static_cast<int>(b.columns),
            k = static_cast<int>(a.columns);
  NORMPROOF_CUDA_CALL(cublasGemmStridedBatchedEx(
      device::cublas_of(device), CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b.data(),
      data_type(b.packing), n, static_cast<long long>(b.batch_stride()), a.data(),
      data_type(a.packing), k, static_cast<long long>(a.batch_stride()), &zero, c.span().data,
      CUDA_R_32F, n, static_cast<long long>(a.rows * b.columns), static_cast<int>(c.shape()[0]),
      compute, CUBLAS_GEMM_DEFAULT));
}

}  // namespace normproof::gpu::ops
