#pragma once

#include <algorithm>

#include "ref/norm/kernels.hpp"
#include "ref/tensor/tensor.hpp"

namespace normproof::ref::norm {

/// Vectors of sums over all rows, [D] each, that a backward over lanes of rows takes along.
template <class T>
class RowTotals {
 public:
  /// `count` of them.
  RowTotals(const ops::RowLayout& layout, std::size_t count)
      : width_(layout.width),
        sums_(tensor::empty_tensor<T>({std::min(layout.count, ops::kLanes), count, width_})) {}

  /// What run_on_lanes fills.
  ops::LaneTotals<T> lanes() { return {sums_.data(), sums_.shape(0), sums_.shape(1) * width_}; }

  /// Adds the lanes up; then [k] is the k-th sum.
  void finish() { run(lanes(), lanes().size, lanes().lanes); }

  tensor::Tensor<T> operator[](std::size_t k) const {
    tensor::Tensor<T> result = tensor::empty_tensor<T>({width_});
    std::copy_n(sums_.data() + k * width_, width_, result.data());
    return result;
  }

 private:
  std::size_t width_;
  tensor::Tensor<T> sums_;
};

}  // namespace normproof::ref::norm
