#pragma once

#include "gpu/device/launch.hpp"
#include "gpu/device/tensor.hpp"
#include "gpu/ops/products.hpp"

namespace normproof::gpu::ops {

using device::DeviceTensor;

/// Writes a matrix product to existing memory.
/// Source    ref/ops/matmul.hpp: the same function of the same arguments
/// Computes  c = a b for each matrix of the batch. With `add`, c = ((c + S_0) + S_1) + ..., where
///           S_0, S_1, ... are the sums of the chains of 256 terms
/// Shapes    a [M,K]; b [K,N]; c [M,N]. Any extent may be 0. Each of a and b has the batch axes of
///           c, or is a single matrix for the whole batch
/// Requires  (C1) the extents agree
/// Throws    ContractError naming both shapes; any exception of `products`
void matmul_into(Device& device, const Matrices<double>& c, Matrices<const double> a,
                 Matrices<const double> b, bool add = false,
                 const Products& products = ordered_products());

/// Which operand of a product is transposed, if any.
enum class Transpose { none, a, b };

/// Multiplies two tensors.
/// Computes  the tensor a b, a^T b or a b^T
/// Shapes    a [...,M,K], b [...,K,N] with equal leading extents, or b [K,N] for the whole batch
/// Throws    ContractError naming both shapes
DeviceTensor<double> matmul(const DeviceTensor<double>& a, const DeviceTensor<double>& b,
                            Transpose transpose = Transpose::none,
                            const Products& products = ordered_products());

}  // namespace normproof::gpu::ops
