#pragma once

#include <cstddef>
#include <vector>

#include "gpu/device/span.hpp"

namespace normproof::gpu::ops {

/// A batch of matrices in device memory. The batch has two axes, because the heads of attention are
/// columns of a [B,T,D] tensor. Element (i, j) of matrix (p, q) is data[first + p batch_stride + q
/// inner_batch_stride + i row_stride + j column_stride]. A batch stride of 0 repeats the same
/// matrix.
template <class T>
struct Matrices {
  device::Span<T> data;
  std::size_t first = 0;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t row_stride = 0;
  std::size_t column_stride = 1;
  std::size_t batch_size = 1;
  std::size_t batch_stride = 0;
  std::size_t inner_batch_size = 1;
  std::size_t inner_batch_stride = 0;

  NORMPROOF_DEVICE std::size_t offset(std::size_t batch) const {
    return first + batch / inner_batch_size * batch_stride +
           batch % inner_batch_size * inner_batch_stride;
  }
  NORMPROOF_DEVICE T& at(std::size_t batch, std::size_t row, std::size_t column) const {
    return data[offset(batch) + row * row_stride + column * column_stride];
  }
  std::size_t batches() const { return batch_size * inner_batch_size; }
};

/// Returns a single row-major matrix without gaps.
template <class T>
Matrices<T> matrix(device::Span<T> data, std::size_t rows, std::size_t columns) {
  return {data, 0, rows, columns, columns};
}

/// Returns a view of m with every matrix transposed.
template <class T>
Matrices<T> transposed(Matrices<T> m) {
  const Matrices<T> old = m;
  m.rows = old.columns;
  m.columns = old.rows;
  m.row_stride = old.column_stride;
  m.column_stride = old.row_stride;
  return m;
}

/// Returns the matrices in the last two axes of a tensor. All other axes form the batch.
template <class T>
Matrices<T> matrices(device::Span<T> data, const std::vector<std::size_t>& shape) {
  const std::size_t rows = shape[shape.size() - 2], columns = shape.back();
  Matrices<T> m = matrix(data, rows, columns);
  m.batch_stride = rows * columns;
  m.batch_size = m.batch_stride == 0 ? 0 : data.size / m.batch_stride;
  return m;
}

}  // namespace normproof::gpu::ops
