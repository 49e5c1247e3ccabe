#pragma once

#include <algorithm>

#include "ref/norm/kernels.hpp"
#include "ref/tensor/tensor.hpp"

namespace normproof::ref::norm {

/// Several vectors of sums over all rows, [D] each. A backward adds to them while it loops over the
/// rows. The terms are added by rule R2 of docs/specification/determinism.md. If the rows are cut
/// into runs, the terms of each run are added in ascending order from +0, then the runs are added
/// by rule R2.
template <class T>
class RowTotals {
 public:
  /// Allocates `count` vectors of sums. rows_per_run is the number of rows in a run; 0 means that
  /// the rows are not cut into runs.
  RowTotals(const ops::RowLayout& layout, std::size_t count, std::size_t rows_per_run = 0)
      : width_(layout.width),
        rows_per_run_(rows_per_run),
        sums_(tensor::empty_tensor<T>({lane_count(layout.count, rows_per_run), count, width_})) {}

  /// Returns a view of the partial sums. run_on_lanes adds to them.
  ops::LaneTotals<T> lanes() {
    return {sums_.data(), sums_.shape(0), sums_.shape(1) * width_, rows_per_run_};
  }

  /// Adds up the partial sums (lanes). Afterwards, [k] returns the k-th vector of sums. If the rows
  /// are cut into more than 32 runs, run r is first added to run r mod 32, for r = 32, 33, ... None
  /// of the partial sums is -0.
  void finish() {
    const ops::LaneTotals<T> all = lanes();
    const std::size_t first = ops::kLanes * all.size;
    for (std::size_t i = first; i < sums_.size(); ++i) all.sums[i % first] += all.sums[i];
    const std::size_t count = std::min(all.lanes, ops::kLanes);
    run(ops::LaneTotals<T>{all.sums, count, all.size}, all.size, count);
  }

  tensor::Tensor<T> operator[](std::size_t k) const {
    tensor::Tensor<T> result = tensor::empty_tensor<T>({width_});
    std::copy_n(sums_.data() + k * width_, width_, result.data());
    return result;
  }

 private:
  static std::size_t lane_count(std::size_t rows, std::size_t rows_per_run) {
    return rows_per_run == 0 ? std::min(rows, ops::kLanes)
                             : (rows + rows_per_run - 1) / rows_per_run;
  }

  std::size_t width_;
  std::size_t rows_per_run_;
  tensor::Tensor<T> sums_;
};

}  // namespace normproof::ref::norm
