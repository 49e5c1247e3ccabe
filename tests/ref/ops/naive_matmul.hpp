#pragma once

#include <cmath>
#include <vector>

#include "ref/ops/matrix_view.hpp"

/// A literal implementation of rule R1 of docs/specification/determinism.md. Tests compare the bits
/// of matmul with it.
namespace normproof::ref::ops {

inline double naive_element(const MatrixView<const double>& a, const MatrixView<const double>& b,
                            std::size_t i, std::size_t j) {
  std::vector<double> blocks;
  double sum = 0;
  for (std::size_t k = 0; k < a.columns; ++k) {
    sum = std::fma(a.data[i * a.row_stride + k * a.column_stride],
                   b.data[k * b.row_stride + j * b.column_stride], sum);
    if (k % 256 == 255 || k + 1 == a.columns) {
      blocks.push_back(sum);
      sum = 0;
    }
  }
  if (blocks.empty()) return 0;
  double total = blocks[0];
  for (std::size_t block = 1; block < blocks.size(); ++block) total += blocks[block];
  return total;
}

inline void naive_matmul(const MatrixView<double>& c, const MatrixView<const double>& a,
                         const MatrixView<const double>& b) {
  for (std::size_t batch = 0; batch < c.batches(); ++batch)
    for (std::size_t i = 0; i < c.rows; ++i)
      for (std::size_t j = 0; j < c.columns; ++j)
        c.at(batch).data[i * c.row_stride + j * c.column_stride] =
            naive_element(a.at(batch), b.at(batch), i, j);
}

}  // namespace normproof::ref::ops
