#pragma once

#include "ref/tensor/tensor.hpp"

namespace normproof::verification::checks::statistics {

/// How far a batch's statistic lies from its running value.
struct Fluctuation {
  double absolute = 0;  ///< (1/d) ||batch - running||, the measure of [SYG+20], figures 2 and 4
  double relative = 0;  ///< ||batch - running|| / ||scale||, comparable between statistics
};

/// Computes  ||v|| = sqrt(sum_c v_c^2), the sum in the order of docs/specification/determinism.md, R2
/// Shapes    v [D], D >= 1
double euclidean_norm(const ref::tensor::Tensor<double>& v);

/// Computes  sqrt(v_c), channel by channel: the scale of a mean, of a variance
/// Shapes    v [D]
ref::tensor::Tensor<double> roots_of(const ref::tensor::Tensor<double>& v);

/// Computes  absolute = ||batch - running|| / D; relative = ||batch - running|| / ||scale||, or 0
///           where the difference is 0
/// Shapes    batch, running, scale [D]
/// Requires  (C1) equal shapes
/// Throws    ContractError
Fluctuation fluctuation(const ref::tensor::Tensor<double>& batch,
                        const ref::tensor::Tensor<double>& running,
                        const ref::tensor::Tensor<double>& scale);

}  // namespace normproof::verification::checks::statistics
