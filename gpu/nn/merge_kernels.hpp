#pragma once

#include "gpu/device/span.hpp"

/// The elementwise kernels of merge_attention_states. R is the number of queries, P that of splits.
namespace normproof::gpu::nn {

using device::ConstFlags;
using device::ConstReals;
using device::Reals;

/// Computes for each query the largest logarithm of its splits, and the differences from it times
/// `unit`. Empty splits have the difference 0.
struct RelativeStates {
  ConstReals log_sum_exp;  ///< [P,R]
  ConstFlags present;      ///< [P,R], or absent if no split is empty
  std::size_t splits, rows;
  bool has_unit;  ///< whether the differences are multiplied by `unit`
  double unit;
  Reals differences, largest;  ///< [R,P]; [R]
  NORMPROOF_DEVICE void operator()(std::size_t row) const {
    double shift = 0;
    bool found = false;
    for (std::size_t p = 0; p < splits; ++p) {
      const std::size_t at = p * rows + row;
      if (present.given() && !present[at]) continue;
      if (!found || shift < log_sum_exp[at]) shift = log_sum_exp[at];
      found = true;
    }
    largest[row] = shift;
    for (std::size_t p = 0; p < splits; ++p) {
      const std::size_t at = p * rows + row;
      double difference = 0;
      if (!present.given() || present[at]) difference = log_sum_exp[at] - shift;
      differences[row * splits + p] = has_unit ? difference * unit : difference;
    }
  }
};

/// Multiplies a row of `width` elements for each split and query by the weight of the split: o if
/// the rows are different for each split, or grad_y if all splits share them. Empty splits get +0.
struct WeighStates {
  ConstReals weights, x;  ///< [R,P]; [P,R,E] or [R,E]
  ConstFlags present;
  std::size_t splits, rows, width;
  Reals y;  ///< [P,R,E]
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    const std::size_t state = i / width, row = state % rows, split = state / rows;
    const bool keep = !present.given() || present[state];
    y[i] = keep ? weights[row * splits + split] * x[i % x.size] : 0.0;
  }
};

/// Multiplies the elements of each split by the gradient of y. Empty splits get +0.
struct StateProducts {
  ConstReals grad_y, o;
  ConstFlags present;
  std::size_t width;
  Reals y;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    const bool keep = !present.given() || present[i / width];
    y[i] = keep ? grad_y[i % grad_y.size] * o[i] : 0.0;
  }
};

/// Adds the largest logarithms to those of the sums, which it first divides by `unit`. Queries
/// without any state get `empty`.
struct MergedLogs {
  ConstReals largest;
  ConstFlags without_state;  ///< [R], or absent if no split is empty
  bool has_unit;             ///< whether the logarithms of the sums are divided by `unit`
  double unit, empty;
  Reals logs;
  NORMPROOF_DEVICE void operator()(std::size_t row) const {
    const double log = has_unit ? logs[row] / unit : logs[row];
    logs[row] = without_state.given() && without_state[row] ? empty : largest[row] + log;
  }
};

}  // namespace normproof::gpu::nn
