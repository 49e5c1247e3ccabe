#pragma once

#include <vector>

#include "ref/tensor/tensor.hpp"

namespace normproof::ref::ops {

/// Multiplies matrices by BLAS, through xtensor-blas. It is a second implementation with which
/// matmul is compared. Only the functions of this header use BLAS and LAPACK. Code whose results
/// must have fixed bits must not use it, because the order in which OpenBLAS rounds depends on the
/// processor and on the number of threads.
///
/// Computes  the product `a b` by cblas_dgemm, on copies of the operands. Without copies,
///           xtensor-blas would use SYRK for operands that share a buffer; SYRK rounds differently
///           and may return a different shape
/// Shapes    a [M,K]; b [K,N]; result [M,N]; every extent is at least 1
/// Requires  (C1) a and b have rank 2 and extents that agree, each below 2^31
///           (C2) all elements are finite
/// Error     gamma(K) sum_k |a_ik b_kj| to first order, for any order of the sums
/// Throws    ContractError that names both shapes, or the element that is not finite
tensor::Tensor<double> matmul_blas(const tensor::Tensor<double>& a,
                                   const tensor::Tensor<double>& b);

/// Returns the singular values of the matrix `a` in descending order, by LAPACK's gesdd.
/// Shapes    a [M,N], every extent is at least 1; the result has min(M,N) values
/// Requires  (C1) a has rank 2 and extents from 1 to 2^31 - 1  (C2) all elements are finite
/// Error     about p(M, N) u times the largest value, where p is a polynomial of low degree [LAPACK
///           Users' Guide, section 4.9]; this is not a proved bound
std::vector<double> singular_values(const tensor::Tensor<double>& a);

/// Returns the largest singular value of the matrix `a`.
double spectral_norm(const tensor::Tensor<double>& a);

}  // namespace normproof::ref::ops
