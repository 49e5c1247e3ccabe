#pragma once

#include <limits>

#include "ref/tensor/tensor.hpp"

/// Derived bounds as tensors, for verification::compare::compare.
namespace normproof::ref::train {

/// How far any implementation may be: of PyTorch's numbers.
inline tensor::Tensor<double> bounds(const tensor::Tensor<numeric::any_order_error>& t) {
  auto result = tensor::empty_tensor<double>(tensor::shape_of(t));
  for (std::size_t i = 0; i < t.size(); ++i) result.data()[i] = t.data()[i].error;
  return result;
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
