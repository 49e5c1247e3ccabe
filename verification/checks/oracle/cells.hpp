#pragma once

#include <cstddef>
#include <vector>

#include "ref/tensor/contract.hpp"
#include "ref/tensor/tensor.hpp"

namespace normproof::verification::checks::oracle {

using ref::tensor::Mask;
using ref::tensor::Shape;

/// What one set of statistics is about: flat indices into x [B,T,D].
struct Cell {
  std::vector<std::size_t> members;  ///< all elements normalised by the statistics
  std::vector<std::size_t> counted;  ///< those the statistics are taken over
};

/// The ways to cut x into cells, each element in exactly one.
enum class Partition {
  row,             ///< one token, all features
  row_group,       ///< one token, D/groups consecutive features
  channel,         ///< one feature, all tokens; the valid ones count
  sample_channel,  ///< one feature of one sample, all its tokens; the valid ones count
  sample_group     ///< D/groups features of one sample, all its tokens; the valid ones count
};

struct Cells {
  std::vector<Cell> cells;
  Shape shape;  ///< of a statistic, one value a cell
};

/// Computes  the cells of x, in the row-major order of their statistics
/// Requires  (C1) every extent of x >= 1  (C8) valid is empty or has the shape of x without D, and
///           where it matters, every cell has a valid element  (C11) groups >= 1 divides D
Cells partition(Partition kind, const Shape& x_shape, std::size_t groups, const Mask& valid);

/// True for a tensor that a caller left out.
template <class T>
bool is_absent(const ref::tensor::Tensor<T>& t) {
  return t.dimension() == 0 || t.size() == 0;
}

}  // namespace normproof::verification::checks::oracle
