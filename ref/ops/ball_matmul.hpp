#pragma once

#include "ref/numeric/real.hpp"
#include "ref/ops/matrix_view.hpp"

namespace normproof::ref::ops {

/// Multiplies matrices of `ball` by Arb's arb_mat_mul at ball::precision(), without checking the
/// arguments.
///
/// Source    [Joh17]; Arb's documentation of arb_mat_mul
/// Computes  c becomes an enclosure of `a b` for all points of the operands. If `add` is true, it
///           becomes an enclosure of `c + a b` instead
void ball_matmul(const MatrixView<numeric::ball>& c, const MatrixView<const numeric::ball>& a,
                 const MatrixView<const numeric::ball>& b, bool add);

}  // namespace normproof::ref::ops
