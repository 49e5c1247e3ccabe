#pragma once

#include "ref/tensor/tensor.hpp"

namespace normproof::verification::checks::statistics {

/// Computes  (1/n) sum over the n rows r that count of values_rc; where `valid` is given, a row
///           counts where it is true
/// Shapes    values [..., D]
/// Order     the rows in theirs
ref::tensor::Tensor<double> channel_means(const ref::tensor::Tensor<double>& values,
                                          const ref::tensor::Mask& valid);

/// Computes  (1/n) sum over the n rows r that count of (values_rc - centre_c)^2
/// Shapes    values [..., D], centre [D], or none: 0
/// Order     the rows in theirs
ref::tensor::Tensor<double> channel_mean_squares(const ref::tensor::Tensor<double>& values,
                                                 const ref::tensor::Mask& valid,
                                                 const ref::tensor::Tensor<double>& centre = {});

}  // namespace normproof::verification::checks::statistics
