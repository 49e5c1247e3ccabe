#pragma once

#include "ref/tensor/tensor.hpp"
#include "verification/checks/compare/comparison.hpp"

/// Compares results of ref/train with values of other libraries.
namespace normproof::ref::train {

/// Compares known values, computed by another library, with results of ref. The tolerance of an
/// element is twice its `error`, because each of the two implementations may be off by `error`.
inline verification::checks::compare::Comparison compare_with_known_values(
    const tensor::Tensor<double>& known_values,
    const tensor::Tensor<numeric::any_order_error>& got) {
  auto values = tensor::empty_tensor<numeric::oracle100>(tensor::shape_of(got));
  auto bounds = tensor::empty_tensor<double>(tensor::shape_of(got));
  for (std::size_t i = 0; i < got.size(); ++i) {
    values.data()[i] = got.data()[i].value;
    bounds.data()[i] = 2 * got.data()[i].error;
  }
  return verification::checks::compare::compare(known_values, values, bounds);
}

}  // namespace normproof::ref::train
