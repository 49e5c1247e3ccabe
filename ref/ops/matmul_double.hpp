#pragma once

#include "ref/ops/matrix_view.hpp"

namespace normproof::ref::ops {

/// Multiplies matrices of `double` without checks: cache blocks, panels and threads around the
/// kernels of matmul_kernels.hpp. It includes only the standard library, so it compiles where the
/// packages of other folders are missing.
///
/// Computes  c = a b, or if `before` is given c = ((before + S_0) + S_1) + ..., where S_b is the
///           chain over the block b of 256 terms; docs/specification/determinism.md, rule R1
/// Shapes    a [M,K]; b [K,N]; before, c [M,N]; equal batches
/// Requires  extents that agree; the elements of c are distinct, and none of them belongs to a or
///           b. `before` is c itself or does not overlap it; a stride of 0 repeats its rows
void matmul_double(const MatrixView<double>& c, const MatrixView<const double>& a,
                   const MatrixView<const double>& b, const MatrixView<const double>& before = {});

}  // namespace normproof::ref::ops
