#pragma once

#include "ref/tensor/tensor.hpp"

namespace normproof::verification::checks::statistics {

/// The distance of a batch's statistic from its running value.
struct Fluctuation {
  double absolute = 0;  ///< (1/D) ||batch - running||, the measure of [SYG+20], figures 2 and 4
  double relative = 0;  ///< ||batch - running|| / ||scale||, comparable between statistics
};

/// Returns the Euclidean norm of v.
///
/// Computes  ||v|| = sqrt(sum_c v_c^2), with the summation order of
///           docs/specification/determinism.md, R2
/// Shapes    v [D], D >= 1
double euclidean_norm(const ref::tensor::Tensor<double>& v);

/// Returns the square root of each element. It converts the channels' variances to standard
/// deviations. These are comparable with the means.
///
/// Computes  sqrt(v_c)
/// Shapes    v [D]
ref::tensor::Tensor<double> channel_square_roots(const ref::tensor::Tensor<double>& v);

/// Returns the distance of a batch's statistic from its running value.
///
/// Computes  absolute = ||batch - running|| / D; relative = ||batch - running|| / ||scale||, or 0
///           if the difference is 0
/// Shapes    batch, running, scale [D]
/// Requires  (C1) equal shapes
/// Throws    ContractError
Fluctuation fluctuation(const ref::tensor::Tensor<double>& batch,
                        const ref::tensor::Tensor<double>& running,
                        const ref::tensor::Tensor<double>& scale);

}  // namespace normproof::verification::checks::statistics
