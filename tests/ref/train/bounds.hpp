#pragma once

#include <limits>

#include "ref/tensor/tensor.hpp"
#include "verification/compare/comparison.hpp"

/// Derived bounds as tensors, for verification::compare::compare.
namespace normproof::ref::train {

/// Numbers of another implementation against those of ref: each is within `error` of the exact
/// ones.
inline verification::compare::Comparison compare_known(
    const tensor::Tensor<double>& known, const tensor::Tensor<numeric::any_order_error>& got) {
  auto values = tensor::empty_tensor<numeric::oracle100>(tensor::shape_of(got));
  auto bounds = tensor::empty_tensor<double>(tensor::shape_of(got));
  for (std::size_t i = 0; i < got.size(); ++i) {
    values.data()[i] = got.data()[i].value;
    bounds.data()[i] = 2 * got.data()[i].error;
  }
  return verification::compare::compare(known, values, bounds);
}

/// How far the evaluation at 50 digits may be: docs/error_analysis.md, section 5.
inline tensor::Tensor<numeric::oracle100> scaled_bounds(
    const tensor::Tensor<numeric::running_error>& t) {
  auto result = tensor::empty_tensor<numeric::oracle100>(tensor::shape_of(t));
  for (std::size_t i = 0; i < t.size(); ++i)
    result.data()[i] = ldexp(numeric::oracle100(t.data()[i].error),
                             10 + 53 - std::numeric_limits<numeric::oracle50>::digits);
  return result;
}

}  // namespace normproof::ref::train
