#pragma once

#include "gpu/device/launch.hpp"
#include "gpu/device/tensor.hpp"
#include "gpu/ops/matrices.hpp"

namespace normproof::gpu::ops {

using device::Device;
using device::DeviceTensor;

/// Who multiplies. ordered: our kernel, in the order of docs/determinism.md, R1: the bits of ref.
/// cublas: cuBLAS, in an order of its own; on a GPU alone.
enum class Gemm { ordered, cublas };

/// Source    ref/ops/matmul.hpp: the same function of the same arguments
/// Computes  c = a b, matrix by matrix; with `add` c = ((c + S_0) + S_1) + ..., S_i the chains
/// Shapes    a [M,K]; b [K,N]; c [M,N], any of them 0, with the batch axes of c or one matrix
/// Requires  (C1) the extents agree
/// Throws    ContractError naming both shapes; DeviceError for cublas on the simulated device
void matmul_into(Device& device, const Matrices<double>& c, Matrices<const double> a,
                 Matrices<const double> b, bool add = false, Gemm gemm = Gemm::ordered);

/// Which operand is taken transposed, matrix by matrix.
enum class Transpose { none, a, b };

/// Computes  the tensor a b, a^T b or a b^T
/// Shapes    a [...,M,K], b [...,K,N] with equal leading extents, or b [K,N] for the whole batch
/// Throws    ContractError naming both shapes
DeviceTensor<double> matmul(const DeviceTensor<double>& a, const DeviceTensor<double>& b,
                            Transpose transpose = Transpose::none, Gemm gemm = Gemm::ordered);

#if defined(NORMPROOF_CUDA)
/// c = a b, or c + a b, by cublasDgemmStridedBatched.
/// Requires  (C2) strides that cuBLAS can take: of rows or of columns 1 in each operand
void cublas_matmul(Device& device, const Matrices<double>& c, const Matrices<const double>& a,
                   const Matrices<const double>& b, bool add);
#endif

}  // namespace normproof::gpu::ops
