#pragma once

#include "gpu/norm/number_formats.hpp"
#include "gpu/ops/lane_kernels.hpp"

/// Kernels that complete the gradients of gamma and beta: they add the sums that
/// float32_backward_row.hpp has computed for each run of rows. Every launch adds them in the order
/// of docs/specification/determinism.md, R2: each of 32 lanes adds every 32nd run, then a tree adds
/// the lanes.
namespace normproof::gpu::norm {

/// Converts a parameter p to the type of the arithmetic. If gamma is zero-centered, stores 1 + p.
template <class Format, class Scalar>
struct ConvertParameter {
  device::Span<const typename Format::Element> from;
  bool plus_one;
  device::Span<Scalar> to;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    const auto v = static_cast<Scalar>(Format::widen(from[i]));
    to[i] = plus_one ? Scalar(1) + v : v;
  }
};

/// Adds the sums of the runs into 32 lanes per column. Element i of the kernel computes lane l
/// of column `i%columns`, where l is `i/columns`. Lane l adds the runs l, l + 32, ... in ascending
/// order, starting from +0.
template <class Scalar>
struct Float32GradientLanes {
  device::Span<const Scalar> runs;  ///< [count, columns]
  std::size_t count, columns;
  device::Span<Scalar> lanes;  ///< [32, columns]

  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    Scalar sum = 0;
    for (std::size_t run = i / columns; run < count; run += ops::kLanes)
      sum += runs[run * columns + i % columns];
    lanes[i] = sum;
  }
};

/// Adds the 32 lanes of column `first + feature` as a tree. Stores the sum in the format of the
/// parameters.
template <class Format, class Scalar>
struct Float32GradientTree {
  device::Span<const Scalar> lanes;  ///< [32, columns]
  std::size_t columns, first;
  device::Span<typename Format::Element> sum;  ///< [width]

  NORMPROOF_DEVICE void operator()(std::size_t feature) const {
    Scalar lane[ops::kLanes];
    for (std::size_t l = 0; l < ops::kLanes; ++l) lane[l] = lanes[l * columns + first + feature];
    for (int stride = ops::kLanes / 2; stride > 0; stride /= 2)
      for (int l = 0; l < stride; ++l) lane[l] += lane[l + stride];
    sum[feature] = Format::narrow(lane[0]);
  }
};

}  // namespace normproof::gpu::norm
