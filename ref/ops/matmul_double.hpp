#pragma once

#include "ref/ops/matrix_view.hpp"

namespace normproof::ref::ops {

/// matmul.hpp for `double`, without checks: cache blocks, panels and threads around the kernels of
/// matmul_kernels.hpp. Nothing but the standard library is included, so that it compiles where the
/// packages of the rest are not.
///
/// Computes  c = a b, or where `before` is given c = ((before + S_0) + S_1) + ..., S_b the chain
///           over the block b of 256 terms; docs/specification/determinism.md, R1
/// Shapes    a [M,K]; b [K,N]; before, c [M,N]; equal batches
/// Requires  extents that agree; elements of c that are distinct and none of a or b; before: c
///           itself, or apart from it, where a stride of 0 repeats rows
void matmul_double(const MatrixView<double>& c, const MatrixView<const double>& a,
                   const MatrixView<const double>& b, const MatrixView<const double>& before = {});

}  // namespace normproof::ref::ops
