#pragma once

#include <limits>

#include "ref/tensor/tensor.hpp"

namespace normproof::verification::checks::compare {

/// (5.1) of docs/derivations/error_analysis.md, element by element: 2^10 (u'/u) error bounds the evaluation
/// with so many binary digits.
inline ref::tensor::Tensor<ref::numeric::oracle100> scaled_bound(
    const ref::tensor::Tensor<ref::numeric::running_error>& t, int digits) {
  using ref::numeric::oracle100;
  auto result = ref::tensor::empty_tensor<oracle100>(ref::tensor::shape_of(t));
  for (std::size_t i = 0; i < t.size(); ++i)
    result.data()[i] =
        ldexp(oracle100(t.data()[i].error), 10 + std::numeric_limits<double>::digits - digits);
  return result;
}

/// That of the scalar T.
template <class T>
ref::tensor::Tensor<ref::numeric::oracle100> scaled_bound(
    const ref::tensor::Tensor<ref::numeric::running_error>& t) {
  return scaled_bound(t, std::numeric_limits<T>::digits);
}

}  // namespace normproof::verification::checks::compare
