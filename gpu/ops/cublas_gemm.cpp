#include <fmt/format.h>

#include <climits>
#include <optional>

#include "gpu/device/cuda_device.cuh"
#include "gpu/device/errors.hpp"
#include "gpu/device/launch.hpp"
#include "gpu/ops/library_gemm.hpp"

// cuBLAS uses column-major matrices. A row-major c = a b is a column-major c^T = b^T a^T. Therefore
// a and b are exchanged, and an operand counts as transposed if the elements of its rows are
// contiguous.
namespace normproof::gpu::ops {
namespace {

int convert_to_int(std::size_t extent) {
  if (extent > INT_MAX)
    throw device::DeviceError(fmt::format(
        "matmul: an extent or a stride is {}; expected at most {} for cuBLAS", extent, INT_MAX));
  return static_cast<int>(extent);
}

struct Operand {
  cublasOperation_t operation;
  int leading;
};

template <class T>
Operand gemm_operand(const Matrices<T>& m, const char* name) {
  if (m.column_stride == 1 || m.columns == 1)
    return {CUBLAS_OP_N, convert_to_int(m.rows == 1 ? m.columns : m.row_stride)};
  if (m.row_stride == 1 || m.rows == 1)
    return {CUBLAS_OP_T, convert_to_int(m.columns == 1 ? m.rows : m.column_stride)};
  throw device::DeviceError(
      fmt::format("matmul: {} has the strides {} and {}; expected one of them to be 1 for cuBLAS",
                  name, m.row_stride, m.column_stride));
}

/// Returns the stride between consecutive matrices of the batch; empty if the stride is not
/// constant.
template <class T>
std::optional<long long> find_constant_batch_stride(const Matrices<T>& m) {
  if (m.inner_batch_size == 1) return static_cast<long long>(m.batch_stride);
  if (m.batch_size > 1 && m.batch_stride != m.inner_batch_size * m.inner_batch_stride) return {};
  return static_cast<long long>(m.inner_batch_stride);
}

template <class T>
device::DeviceTensor<T*> places(Device& device, const Matrices<T>& m) {
  device::DeviceTensor<T*> result(device, {m.batches()});
  device::launch_elements(device, m.batches(), MatrixAddresses<T>{m, result.span()});
  return result;
}

cudaDataType_t cublas_data_type(ref::numeric::FloatType type) {
  using ref::numeric::FloatType;
  if (type == FloatType::bfloat16) return CUDA_R_16BF;
  return type == FloatType::float16 ? CUDA_R_16F : CUDA_R_32F;
}

}  // namespace

void cublas_gemm(Device& device, const Matrices<double>& c, const Matrices<const double>& a,
                 const Matrices<const double>& b, bool add) {
  const Operand left = gemm_operand(b, "b"), right = gemm_operand(a, "a");
  const Operand result = gemm_operand(c, "c");
  if (result.operation != CUBLAS_OP_N)
    throw device::DeviceError("matmul: c has columns apart; expected rows of neighbours");
  const double one = 1, beta = add ? 1 : 0;
  const int m = convert_to_int(c.columns), n = convert_to_int(c.rows),
            k = convert_to_int(a.columns), count = convert_to_int(c.batches());
  const auto of_a = find_constant_batch_stride(a), of_b = find_constant_batch_stride(b),
             of_c = find_constant_batch_stride(c);
  if (of_a && of_b && of_c) {
    NORMPROOF_CUDA_CALL(cublasDgemmStridedBatched(
        device::cublas_handle(device), left.operation, right.operation, m, n, k, &one,
        b.data.data + b.first, left.leading, *of_b, a.data.data + a.first, right.leading, *of_a,
        &beta, c.data.data + c.first, result.leading, *of_c, count));
    return;
  }
  // The matrices of attention heads have no constant stride.
  const auto to_a = places(device, a), to_b = places(device, b);
  auto to_c = places(device, c);
  NORMPROOF_CUDA_CALL(cublasDgemmBatched(device::cublas_handle(device), left.operation,
                                         right.operation, m, n, k, &one, to_b.span().data,
                                         left.leading, to_a.span().data, right.leading, &beta,
                                         to_c.span().data, result.leading, count));
}

void cublas_gemm(Device& device, Precision precision, device::DeviceTensor<float>& c,
                 const PackedMatrices& a, const PackedMatrices& b) {
  const float one = 1, zero = 0;
  const auto compute =
      precision == Precision::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  const int m = convert_to_int(a.rows), n = convert_to_int(b.columns),
            k = convert_to_int(a.columns);
  NORMPROOF_CUDA_CALL(cublasGemmStridedBatchedEx(
      device::cublas_handle(device), CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b.data(),
      cublas_data_type(b.type), n, static_cast<long long>(b.batch_stride()), a.data(),
      cublas_data_type(a.type), k, static_cast<long long>(a.batch_stride()), &zero, c.span().data,
      CUDA_R_32F, n, static_cast<long long>(a.rows * b.columns), convert_to_int(c.shape()[0]),
      compute, CUBLAS_GEMM_DEFAULT));
}

}  // namespace normproof::gpu::ops
