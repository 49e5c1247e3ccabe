#pragma once

#include <cstddef>
#include <type_traits>

namespace normproof::ref::ops {

/// A view of a batch of matrices in memory that the view does not own. Element (i, j) of matrix (p,
/// q) is `data[p batch_stride + q inner_batch_stride + i row_stride + j column_stride]`. There are
/// two batch axes because the heads of attention are columns of a [B, T, D] tensor. A view with
/// exchanged extents and strides is the transposed matrix. A batch stride of 0 repeats one matrix
/// over the batch.
template <class T>
struct MatrixView {
  T* data = nullptr;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t row_stride = 0;
  std::size_t column_stride = 1;
  std::size_t batch_size = 1;
  std::size_t batch_stride = 0;
  std::size_t inner_batch_size = 1;
  std::size_t inner_batch_stride = 0;

  std::size_t batches() const { return batch_size * inner_batch_size; }

  /// Returns a view of a single matrix of the batch. It is matrix (p, q) for `batch = p
  /// inner_batch_size + q`.
  MatrixView at(std::size_t batch) const {
    const std::size_t offset =
        batch / inner_batch_size * batch_stride + batch % inner_batch_size * inner_batch_stride;
    return {data + offset, rows, columns, row_stride, column_stride};
  }

  operator MatrixView<const T>() const requires(!std::is_const_v<T>) {
    return {data,       rows,         columns,          row_stride,        column_stride,
            batch_size, batch_stride, inner_batch_size, inner_batch_stride};
  }
};

/// Returns a view of one matrix whose rows are contiguous.
template <class T>
MatrixView<T> matrix(T* data, std::size_t rows, std::size_t columns) {
  return {data, rows, columns, columns};
}

/// Returns a view of the transposed matrices of m.
template <class T>
MatrixView<T> transposed(MatrixView<T> m) {
  const MatrixView<T> old = m;
  m.rows = old.columns;
  m.columns = old.rows;
  m.row_stride = old.column_stride;
  m.column_stride = old.row_stride;
  return m;
}

}  // namespace normproof::ref::ops
