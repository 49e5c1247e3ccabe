#pragma once

#include <limits>

#include "ref/tensor/tensor.hpp"

namespace normproof::verification::checks::compare {

/// Returns bound (5.1) of docs/error_analysis.md for each element: `2^10 (u'/u) error`. Here u is
/// the unit roundoff of double, u' is the unit roundoff of an evaluation with `digits` binary
/// digits, and `error` is the running error in double.
inline ref::tensor::Tensor<ref::numeric::oracle100> scaled_bound(
    const ref::tensor::Tensor<ref::numeric::running_error>& t, int digits) {
  using ref::numeric::oracle100;
  auto result = ref::tensor::empty_tensor<oracle100>(ref::tensor::shape_of(t));
  for (std::size_t i = 0; i < t.size(); ++i)
    result.data()[i] =
        ldexp(oracle100(t.data()[i].error), 10 + std::numeric_limits<double>::digits - digits);
  return result;
}

/// Returns the bound for an evaluation in the scalar type T.
template <class T>
ref::tensor::Tensor<ref::numeric::oracle100> scaled_bound(
    const ref::tensor::Tensor<ref::numeric::running_error>& t) {
  return scaled_bound(t, std::numeric_limits<T>::digits);
}

}  // namespace normproof::verification::checks::compare
