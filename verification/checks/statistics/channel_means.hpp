#pragma once

#include "ref/tensor/tensor.hpp"

namespace normproof::verification::checks::statistics {

/// Returns the mean of each channel over the valid rows.
///
/// Computes  (1/n) sum over the n valid rows r of values_rc. A row is valid if `valid` is empty or
///           true there
/// Shapes    values [..., D]
/// Order     rows are summed in their order
ref::tensor::Tensor<double> channel_means(const ref::tensor::Tensor<double>& values,
                                          const ref::tensor::Mask& valid);

/// Returns the mean square of each channel about `centre` over the valid rows.
///
/// Computes  (1/n) sum over the n valid rows r of (values_rc - centre_c)^2
/// Shapes    values [..., D], centre [D]; an empty centre means 0
/// Order     rows are summed in their order
ref::tensor::Tensor<double> channel_mean_squares(const ref::tensor::Tensor<double>& values,
                                                 const ref::tensor::Mask& valid,
                                                 const ref::tensor::Tensor<double>& centre = {});

}  // namespace normproof::verification::checks::statistics
