#pragma once

#include <algorithm>

#include "ref/tensor/tensor.hpp"

/// Adds a last element to each row of a tensor, and removes it again. Attention computes the
/// softmax over the keys and a sink in this way: the sink is one more score behind the scores of
/// the keys.
namespace normproof::ref::nn {

/// Returns x with one more element at the end of each row: last(row).
/// Shapes    x [..., S] with rows that are numbered in row-major order; the result is [..., S+1]
template <class T, class Last>
tensor::Tensor<T> append_column(const tensor::Tensor<T>& x, Last last) {
  tensor::Shape shape = tensor::shape_of(x);
  const std::size_t width = shape.back()++;
  tensor::Tensor<T> result = tensor::empty_tensor<T>(shape);
  for (std::size_t row = 0; row * width < x.size(); ++row) {
    T* const own = result.data() + row * (width + 1);
    std::copy_n(x.data() + row * width, width, own);
    own[width] = last(row);
  }
  return result;
}

template <class T>
struct SplitColumns {
  tensor::Tensor<T> first;  ///< [..., S]
  tensor::Tensor<T> last;   ///< [...]: the last element of each row
};

/// Returns the elements of x [..., S+1] without the last element of each row, and the last
/// elements.
template <class T>
SplitColumns<T> split_last_column(const tensor::Tensor<T>& x) {
  tensor::Shape shape = tensor::shape_of(x);
  const std::size_t width = --shape.back();
  SplitColumns<T> result{tensor::empty_tensor<T>(shape), {}};
  shape.pop_back();
  result.last = tensor::empty_tensor<T>(shape);
  for (std::size_t row = 0; row < result.last.size(); ++row) {
    const T* const own = x.data() + row * (width + 1);
    std::copy_n(own, width, result.first.data() + row * width);
    result.last.data()[row] = own[width];
  }
  return result;
}

}  // namespace normproof::ref::nn
