#pragma once

#include "ref/tensor/tensor.hpp"

namespace normproof::verification::checks::statistics {

/// Returns the mean of each channel over the valid rows.
///
/// Computes  (1/n) sum of values_rc over the n valid rows r. Row r is valid if `valid` is empty or
///           valid_r is true
/// Shapes    values [..., D]; result [D]
/// Order     rows are added in ascending order
ref::tensor::Tensor<double> channel_means(const ref::tensor::Tensor<double>& values,
                                          const ref::tensor::Mask& valid);

/// Returns the mean squared deviation of each channel from `centre` over the valid rows.
///
/// Computes  (1/n) sum of (values_rc - centre_c)^2 over the n valid rows r
/// Shapes    values [..., D]; centre [D], or empty, which means 0; result [D]
/// Order     rows are added in ascending order
ref::tensor::Tensor<double> channel_mean_squares(const ref::tensor::Tensor<double>& values,
                                                 const ref::tensor::Mask& valid,
                                                 const ref::tensor::Tensor<double>& centre = {});

}  // namespace normproof::verification::checks::statistics
