#pragma once

#include "ref/tensor/tensor.hpp"
#include "verification/checks/compare/comparison.hpp"

/// Derived bounds as tensors, for verification::checks::compare::compare.
namespace normproof::ref::train {

/// Compares numbers of a different implementation with those of ref; each is within `error` of the
/// exact number.
inline verification::checks::compare::Comparison compare_known(
    const tensor::Tensor<double>& known, const tensor::Tensor<numeric::any_order_error>& got) {
  auto values = tensor::empty_tensor<numeric::oracle100>(tensor::shape_of(got));
  auto bounds = tensor::empty_tensor<double>(tensor::shape_of(got));
  for (std::size_t i = 0; i < got.size(); ++i) {
    values.data()[i] = got.data()[i].value;
    bounds.data()[i] = 2 * got.data()[i].error;
  }
  return verification::checks::compare::compare(known, values, bounds);
}

}  // namespace normproof::ref::train
