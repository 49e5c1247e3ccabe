#pragma once

#include <type_traits>

#include "ref/ops/matrix_view.hpp"
#include "ref/tensor/tensor.hpp"

namespace normproof::ref::ops {

/// Which operand is taken transposed, matrix by matrix.
enum class Transpose { none, a, b };

/// Matrices of a tensor, all axes but the last two being the batch.
/// Requires  (C1) t has rank 2 at least
template <numeric::Real T>
MatrixView<const T> matrices(const tensor::Tensor<T>& t);
template <numeric::Real T>
MatrixView<T> matrices(tensor::Tensor<T>& t);

/// Source    docs/specification/determinism.md, R1; docs/specification/matmul.md
/// Computes  c = a b, matrix by matrix. double: for each element chains of 256 fma, the same bits
///           for every shape around it, stride, instruction set and thread count.
/// Shapes    a [M,K]; b [K,N]; c [M,N], any of them 0; K = 0 gives +0. All with the same batch
///           axes, or an operand with one matrix, which serves the whole batch.
/// Requires  (C1) the extents agree  (C2) no element of c is in memory between the first and the
///           last element of a or of b  (C3) the elements of c are distinct: each stride reaches
///           past what the smaller ones span  (C4) the extents' products and the last element's
///           offset stay below 2^63
/// Order     double, running_error: R1 with fma. oracle50, oracle100, interval, dual: R1 with a
///           rounded product and a rounded sum. ball: Arb's arb_mat_mul, which encloses the result
///           without an order of its own, at ball::precision().
/// Error     docs/derivations/error_analysis.md, section 7; verification/checks/compare/bound.hpp, bound::matmul
/// Throws    ContractError naming both shapes, or c's strides. Values that are not finite are not
///           refused: they spread as IEEE says; which NaN comes out is not specified.
/// Memory    double keeps at most 9 MiB for each thread from call to call, and allocates nothing
///           else
template <numeric::Real T>
void matmul_into(const MatrixView<T>& c, const std::type_identity_t<MatrixView<const T>>& a,
                 const std::type_identity_t<MatrixView<const T>>& b);

/// As matmul_into, but for what becomes of the old c.
/// Computes  c = ((c + S_0) + S_1) + ..., S_b the chain over the block b of 256 terms: the old c
///           takes part as if it were a block before the first. ball: c + a b. K = 0 leaves c as it
///           is.
template <numeric::Real T>
void matmul_add(const MatrixView<T>& c, const std::type_identity_t<MatrixView<const T>>& a,
                const std::type_identity_t<MatrixView<const T>>& b);

/// As matmul_add, each row of the old c being `row`: c is written once.
/// Shapes    row [N]
/// Requires  (C5) row has the extent N
template <numeric::Real T>
void matmul_add_to_row(const MatrixView<T>& c, const std::type_identity_t<MatrixView<const T>>& a,
                       const std::type_identity_t<MatrixView<const T>>& b,
                       const tensor::Tensor<std::type_identity_t<T>>& row);

/// Computes  the tensor a b, a^T b or a b^T, by matmul_into
/// Shapes    with Transpose::none a [...,M,K], b [...,K,N] with equal leading extents, or b [K,N]
///           for the whole batch; result [...,M,N]. Transpose::a: a [...,K,M];
///           Transpose::b: b [...,N,K].
/// Requires  (C1) ranks of 2 at least and extents that agree; (C4) of matmul_into
/// Throws    ContractError naming both shapes
template <numeric::Real T>
tensor::Tensor<T> matmul(const tensor::Tensor<T>& a, const tensor::Tensor<T>& b,
                         Transpose transpose = Transpose::none);

}  // namespace normproof::ref::ops
