#pragma once

#include <type_traits>

#include "ref/ops/matrix_view.hpp"
#include "ref/tensor/tensor.hpp"

namespace normproof::ref::ops {

/// The operand whose matrices are transposed.
enum class Transpose { none, a, b };

/// Returns the matrices of a tensor; all axes except the last two form the batch.
/// Requires  (C1) t has rank 2 or more
template <numeric::Real T>
MatrixView<const T> matrices(const tensor::Tensor<T>& t);
template <numeric::Real T>
MatrixView<T> matrices(tensor::Tensor<T>& t);

/// Multiplies matrices into existing memory.
/// Source    docs/specification/determinism.md, rule R1; docs/specification/matmul.md
/// Computes  c = a b, matrix by matrix. double: chains of 256 fma for each element, whose bits do
///           not depend on the other extents, strides, instruction set and number of threads
/// Shapes    a [M,K]; b [K,N]; c [M,N], any of which may be 0; K = 0 gives +0. All operands have
///           the same batch axes, or an operand has one matrix, which serves the whole batch
/// Requires  (C1) the extents agree
///           (C2) no element of c lies in memory between the first and the last element of a or of
///           b
///           (C3) the elements of c are distinct: each stride exceeds the span of the smaller ones
///           (C4) the products of the extents and the offset of the last element are below 2^63
/// Order     double, running_error: rule R1 with fma. oracle50, oracle100, interval, dual: rule R1
///           with a rounded product and a rounded sum. ball: Arb's arb_mat_mul at
///           ball::precision(), which encloses the result in an order of its own
/// Error     docs/error_analysis.md, section 7; verification/checks/compare/bound.hpp,
///           bound::matmul
/// Throws    ContractError naming both shapes, or the strides of c. Non-finite values are accepted
///           and propagate as in IEEE 754; which NaN results is unspecified
/// Memory    double keeps at most 9 MiB per thread between calls, and allocates nothing else
template <numeric::Real T>
void matmul_into(const MatrixView<T>& c, const std::type_identity_t<MatrixView<const T>>& a,
                 const std::type_identity_t<MatrixView<const T>>& b);

/// Multiplies matrices like matmul_into, but adds the result to c.
/// Computes  c = ((c + S_0) + S_1) + ..., where S_b is the chain over the block b of 256 terms. So
///           the old c is added like a block before the first. ball: c + a b. K = 0 leaves c
///           unchanged
template <numeric::Real T>
void matmul_add(const MatrixView<T>& c, const std::type_identity_t<MatrixView<const T>>& a,
                const std::type_identity_t<MatrixView<const T>>& b);

/// Multiplies matrices like matmul_add, as if each row of the old c were `row`. c is written only
/// once.
/// Shapes    row [N]
/// Requires  (C5) row has the extent N
template <numeric::Real T>
void matmul_add_to_row(const MatrixView<T>& c, const std::type_identity_t<MatrixView<const T>>& a,
                       const std::type_identity_t<MatrixView<const T>>& b,
                       const tensor::Tensor<std::type_identity_t<T>>& row);

/// Returns the tensor a b, a^T b or a b^T, computed by matmul_into.
/// Shapes    with Transpose::none a is [...,M,K], b is [...,K,N] with the same leading extents, or
///           [K,N] for the whole batch, and the result is [...,M,N]. With Transpose::a, a is
///           [...,K,M]. With Transpose::b, b is [...,N,K]
/// Requires  (C1) ranks are 2 or more and the extents agree; (C4) of matmul_into
/// Throws    ContractError naming both shapes
template <numeric::Real T>
tensor::Tensor<T> matmul(const tensor::Tensor<T>& a, const tensor::Tensor<T>& b,
                         Transpose transpose = Transpose::none);

}  // namespace normproof::ref::ops
