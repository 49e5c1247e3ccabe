#pragma once

#include <vector>

#include "ref/tensor/tensor.hpp"

namespace normproof::ref::ops {

/// The one door to BLAS and LAPACK, through xtensor-blas: a second implementation that agrees with
/// matmul, and singular values. Not for results that promise bits: OpenBLAS rounds in an order of
/// its own, which depends on the processor and on the thread count.
///
/// Computes  a b by cblas_dgemm, of copies: xtensor-blas takes operands that share a buffer to
///           SYRK, which rounds otherwise and may return another shape
/// Shapes    a [M,K]; b [K,N]; result [M,N]; every extent at least 1
/// Requires  (C1) rank 2 and extents that agree, each below 2^31  (C2) finite elements
/// Error     gamma(K) sum_k |a_ik b_kj| to first order, whatever the order of its sums
/// Throws    ContractError naming both shapes, or the element that is not finite
tensor::Tensor<double> matmul_blas(const tensor::Tensor<double>& a,
                                   const tensor::Tensor<double>& b);

/// Computes  the singular values of a, largest first, by LAPACK's gesdd
/// Shapes    a [M,N], extents at least 1; result min(M,N) values
/// Requires  (C1) rank 2, extents from 1 to 2^31 - 1  (C2) finite elements
/// Error     of each value about p(M, N) u times the largest, p a low polynomial [LAPACK Users'
///           Guide, section 4.9]; not bounded here
std::vector<double> singular_values(const tensor::Tensor<double>& a);

/// Computes  the largest singular value
double spectral_norm(const tensor::Tensor<double>& a);

}  // namespace normproof::ref::ops
