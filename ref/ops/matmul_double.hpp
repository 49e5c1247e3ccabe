#pragma once

#include "ref/ops/matrix_view.hpp"

namespace normproof::ref::ops {

/// Multiplies matrices of `double` without checking the arguments. It arranges cache blocks, packed
/// panels and threads around the kernels of matmul_kernels.hpp. It includes only the standard
/// library, so it compiles without the packages that other folders need.
///
/// Computes  c = a b. If `before` is given, c = ((before + S_0) + S_1) + ..., where S_b is the
///           chain over block b of 256 terms; docs/specification/determinism.md, rule R1
/// Shapes    a [M,K]; b [K,N]; before, c [M,N]; equal batches
/// Requires  the extents agree; the elements of c are distinct, and none of them belongs to a or b.
///           `before` is c itself or does not overlap it; if its row stride is 0, its one row is
///           repeated
void matmul_double(const MatrixView<double>& c, const MatrixView<const double>& a,
                   const MatrixView<const double>& b, const MatrixView<const double>& before = {});

}  // namespace normproof::ref::ops
