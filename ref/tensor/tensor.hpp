#pragma once

#include <cstddef>
#include <vector>
#include <xtensor/xarray.hpp>

#include "ref/numeric/real.hpp"
#include "ref/tensor/allocator.hpp"

namespace normproof::ref::tensor {

/// A dense row-major tensor: xtensor's container, evaluated. The rank is a property of the value,
/// so that one function serves [N,D] and [B,T,D]; contract.hpp checks it.
template <class T>
using Tensor = xt::xarray<T, xt::layout_type::row_major, Allocator<T>>;

/// True = a real token, false = padding. A mask of size 0 says that every row is valid.
using Mask = Tensor<bool>;

using Shape = std::vector<std::size_t>;

/// A tensor of this shape whose elements are not set (double) or 0.
template <class T>
Tensor<T> empty_tensor(const Shape& shape) {
  return Tensor<T>::from_shape(shape);
}

/// A tensor of this shape whose elements are all `value`.
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

/// Whether an optional tensor is there: {} is a tensor without axes, and one without elements says
/// nothing either.
template <class T>
bool is_given(const Tensor<T>& t) {
  return t.dimension() > 0 && t.size() > 0;
}

/// Computes  the tensor of the same shape with elements U(x)
template <class U, class T>
Tensor<U> convert(const Tensor<T>& t) {
  Tensor<U> result = empty_tensor<U>(shape_of(t));
  for (std::size_t i = 0; i < t.size(); ++i) result.data()[i] = U(t.data()[i]);
  return result;
}

}  // namespace normproof::ref::tensor
