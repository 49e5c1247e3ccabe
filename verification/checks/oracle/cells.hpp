#pragma once

#include <cstddef>
#include <vector>

#include "ref/tensor/contract.hpp"
#include "ref/tensor/tensor.hpp"

namespace normproof::verification::checks::oracle {

using ref::tensor::Mask;
using ref::tensor::Shape;

/// The flat indices of those elements of x [B,T,D] that share one mean and one variance.
struct StatisticsCell {
  std::vector<std::size_t> members;  ///< all elements that the statistics normalize
  std::vector<std::size_t> counted;  ///< the elements that the statistics are computed from
};

/// The ways to divide x into sets of elements that share their statistics.
enum class Partition {
  row,             ///< one token, all features
  row_group,       ///< one token, D/groups consecutive features
  channel,         ///< one feature, all tokens; only valid ones are counted
  sample_channel,  ///< one feature of one sample, all its tokens; only valid ones are counted
  sample_group     ///< D/groups features of one sample, all its tokens; only valid ones are counted
};

struct StatisticsCells {
  std::vector<StatisticsCell> cells;
  Shape shape;  ///< the shape of a statistic, which has one value per cell
};

/// Divides x into cells, the sets of elements that share their statistics.
/// Computes  the cells of x, in the row-major order of their statistics
/// Requires  (C1) every extent of x >= 1  (C8) valid is empty or has the shape of x without D, and
///           if it is used, every cell has a valid element  (C11) groups >= 1 divides D
StatisticsCells partition(Partition kind, const Shape& x_shape, std::size_t groups,
                          const Mask& valid);

/// Whether the caller has left the tensor out.
template <class T>
bool is_absent(const ref::tensor::Tensor<T>& t) {
  return t.dimension() == 0 || t.size() == 0;
}

}  // namespace normproof::verification::checks::oracle
