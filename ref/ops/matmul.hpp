#pragma once

#include <type_traits>

#include "ref/ops/matrix_view.hpp"
#include "ref/tensor/tensor.hpp"

namespace normproof::ref::ops {

/// Which operand of matmul is transposed.
enum class Transpose { none, a, b };

/// Returns a view of the matrices of a tensor. The last two axes are the rows and columns of a
/// matrix; all other axes form the batch.
/// Requires  (C1) t has rank 2 or more
template <numeric::Real T>
MatrixView<const T> matrices(const tensor::Tensor<T>& t);
template <numeric::Real T>
MatrixView<T> matrices(tensor::Tensor<T>& t);

/// Multiplies matrices and writes the result to existing memory.
/// Source    docs/specification/determinism.md, rule R1; docs/specification/matmul.md
/// Computes  c = a b, for each matrix of the batch. In `double`, each element is computed by chains
///           of 256 fma, so its bits do not depend on the other extents, the strides, the
///           instruction set and the number of threads
/// Shapes    a [M,K]; b [K,N]; c [M,N]. M, N and K may be 0; K = 0 gives +0. All operands have the
///           same batch axes, or an operand has a single matrix, which is used for the whole batch
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
/// Throws    ContractError that names both shapes, or the strides of c. Non-finite values are
///           accepted and propagate as in IEEE 754; which NaN results is unspecified
/// Memory    for double, at most 9 MiB per thread are kept between calls, and nothing else is
///           allocated
template <numeric::Real T>
void matmul_into(const MatrixView<T>& c, const std::type_identity_t<MatrixView<const T>>& a,
                 const std::type_identity_t<MatrixView<const T>>& b);

/// Multiplies matrices like matmul_into, but adds the product to c.
/// Computes  c = ((c + S_0) + S_1) + ..., where S_b is the chain over block b of 256 terms. So the
///           old c is added as if it were the sum of a block before the first block. For the scalar
///           type ball, the result is an enclosure of c + a b. K = 0 leaves c unchanged
template <numeric::Real T>
void matmul_add(const MatrixView<T>& c, const std::type_identity_t<MatrixView<const T>>& a,
                const std::type_identity_t<MatrixView<const T>>& b);

/// Computes what matmul_add would compute if each row of the old c were `row`. The old c is not
/// read, and c is written only once.
/// Shapes    row [N]
/// Requires  (C5) row has the extent N
template <numeric::Real T>
void matmul_add_to_row(const MatrixView<T>& c, const std::type_identity_t<MatrixView<const T>>& a,
                       const std::type_identity_t<MatrixView<const T>>& b,
                       const tensor::Tensor<std::type_identity_t<T>>& row);

/// Returns one of the products `a b`, `a^T b` and `a b^T`, computed by matmul_into.
/// Shapes    for Transpose::none, a is [...,M,K], b is [...,K,N] with the same leading extents or
///           [K,N] for the whole batch, and the result is [...,M,N]. For Transpose::a, a is
///           [...,K,M]. For Transpose::b, b is [...,N,K]
/// Requires  (C1) ranks are 2 or more and the extents agree; (C4) of matmul_into
/// Throws    ContractError that names both shapes
template <numeric::Real T>
tensor::Tensor<T> matmul(const tensor::Tensor<T>& a, const tensor::Tensor<T>& b,
                         Transpose transpose = Transpose::none);

}  // namespace normproof::ref::ops
