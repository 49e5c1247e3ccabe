#pragma once

#include <cstddef>
#include <vector>
#include <xtensor/xarray.hpp>

#include "ref/numeric/real.hpp"
#include "ref/tensor/allocator.hpp"

namespace normproof::ref::tensor {

/// A dense row-major tensor, implemented by xtensor. The rank is not part of the type, so one
/// function can accept both [N,D] and [B,T,D]. The functions of contract.hpp check the rank.
template <class T>
using Tensor = xt::xarray<T, xt::layout_type::row_major, Allocator<T>>;

/// A mask of tokens: true for a real token, false for padding. An empty mask (of size 0) means that
/// every row is valid.
using Mask = Tensor<bool>;

using Shape = std::vector<std::size_t>;

/// Returns a tensor of this shape. For double its elements are not initialized; for other types
/// they are 0.
template <class T>
Tensor<T> empty_tensor(const Shape& shape) {
  return Tensor<T>::from_shape(shape);
}

/// Returns a tensor of this shape in which every element is `value`.
template <class T>
Tensor<T> full_tensor(const Shape& shape, const T& value) {
  Tensor<T> result = empty_tensor<T>(shape);
  for (std::size_t i = 0; i < result.size(); ++i) result.data()[i] = value;
  return result;
}

template <class T>
Shape shape_of(const Tensor<T>& t) {
  return Shape(t.shape().begin(), t.shape().end());
}

/// Whether an optional tensor is present. A tensor without axes, written {}, or without elements
/// counts as absent.
template <class T>
bool is_given(const Tensor<T>& t) {
  return t.dimension() > 0 && t.size() > 0;
}

/// Returns a tensor of the same shape whose elements are converted to the type U.
template <class U, class T>
Tensor<U> convert(const Tensor<T>& t) {
  Tensor<U> result = empty_tensor<U>(shape_of(t));
  for (std::size_t i = 0; i < t.size(); ++i) result.data()[i] = U(t.data()[i]);
  return result;
}

}  // namespace normproof::ref::tensor
