#pragma once

#include "gpu/device/mask.hpp"
#include "gpu/ops/elementary_kernels.hpp"
#include "gpu/ops/lane_kernels.hpp"

/// The row kernels of softmax and related functions (docs/specification/activations.md).
namespace normproof::gpu::ops {

/// The maximum number of axes before the last one in a masked softmax.
inline constexpr int kMaxMaskAxes = 8;

/// Which elements of a row the mask includes. The leading axes of the mask are right-aligned with
/// the leading axes of x. If an axis of the mask is repeated, its stride is 0.
struct RowMask {
  device::TokenPositions places;
  ConstFlags flags;  ///< absent if every element is included
  int axes = 0;
  std::size_t extent[kMaxMaskAxes] = {};
  std::size_t stride[kMaxMaskAxes] = {};  ///< in rows of the mask

  NORMPROOF_DEVICE std::size_t row(std::size_t row) const {
    std::size_t own = 0;
    for (int axis = axes; axis-- > 0;) {
      own += row % extent[axis] * stride[axis];
      row /= extent[axis];
    }
    return own;
  }
  NORMPROOF_DEVICE std::size_t size(std::size_t mask_row) const { return places.size(mask_row); }
  /// Returns the index of the k-th included element.
  NORMPROOF_DEVICE std::size_t at(std::size_t mask_row, std::size_t k) const {
    return places.at(mask_row, k);
  }
  NORMPROOF_DEVICE bool is_included(std::size_t mask_row, std::size_t i) const {
    return !flags.given() || flags[mask_row * places.seq_len + i];
  }
};

enum class Softmax { plain, logarithm, log_sum, log_sum_backward };

/// A function of the softmax family, for each row of x. Let m be the largest x of the row, e =
/// exp(x - m), and S(.) the sum over the row. The kinds compute:
///   plain             y = e / S(e), +0 for excluded elements
///   logarithm         y = (x - m) - log(S(e))
///   log_sum           y [rows] = m + log(S(e))
///   log_sum_backward  grad_x = grad_y (e / S(e)), with one grad_y per row
/// `status` of a row is a finite number if all its included elements are finite. For log_sum, the
/// row must also have at least one included element.
template <Softmax kind>
struct SoftmaxRow {
  static constexpr int kNumTotals = 3;
  static constexpr int kNumMaxima = 1;
  static constexpr bool kStoresExponentials =
      kind == Softmax::plain || kind == Softmax::log_sum_backward;
  ConstReals grad_y, x;
  RowMask mask;
  std::size_t width;
  Reals out, status;

  template <class Totals>
  NORMPROOF_DEVICE double lane(int k, std::size_t row, std::size_t lane, Totals totals) const {
    const std::size_t own = mask.row(row), first = row * width, count = mask.size(own);
    if (k == 0) {
      double most = -__builtin_huge_val();
      for (std::size_t i = lane; i < count; i += kLanes) {
        const double v = x[first + mask.at(own, i)];
        most = most < v ? v : most;
      }
      return most;
    }
    return lane_sum(count, lane, [&](std::size_t i) {
      const std::size_t at = first + mask.at(own, i);
      if (k == 2) return x[at] - x[at];  // +0, or NaN if x is not finite
      const double e = evaluate_exp(x[at] - totals[0]);
      if (kStoresExponentials) out[at] = e;
      return e;
    });
  }

  template <class Totals>
  NORMPROOF_DEVICE void finish(std::size_t row, std::size_t lane, Totals totals) const {
    const std::size_t own = mask.row(row), first = row * width, count = mask.size(own);
    const double sum = totals[1];
    if (lane == 0)
      status[row] = kind == Softmax::log_sum && count == 0 ? __builtin_huge_val() : totals[2];
    if constexpr (kind == Softmax::log_sum) {
      if (lane == 0) out[row] = totals[0] + evaluate_log(sum);
    } else if constexpr (kind == Softmax::logarithm) {
      const double log_sum = evaluate_log(sum);
      for (std::size_t i = lane; i < width; i += kLanes)
        out[first + i] = (x[first + i] - totals[0]) - log_sum;
    } else {
      for (std::size_t i = lane; i < count; i += kLanes) {
        const std::size_t at = first + mask.at(own, i);
        out[at] = kind == Softmax::plain ? out[at] / sum : grad_y[row] * (out[at] / sum);
      }
      for (std::size_t i = lane; i < width; i += kLanes)
        if (!mask.is_included(own, i)) out[first + i] = 0;
    }
  }
};

/// The backward of softmax: grad_x = y (grad_y - S(grad_y y)), +0 for excluded elements. S(.) is
/// the sum over the row.
struct SoftmaxBackwardRow {
  static constexpr int kNumTotals = 1;
  static constexpr int kNumMaxima = 0;
  ConstReals grad_y, y;
  RowMask mask;
  std::size_t width;
  Reals grad_x, status;

  template <class Totals>
  NORMPROOF_DEVICE double lane(int, std::size_t row, std::size_t lane, Totals) const {
    const std::size_t own = mask.row(row), first = row * width;
    return lane_sum(mask.size(own), lane, [&](std::size_t i) {
      const std::size_t at = first + mask.at(own, i);
      return grad_y[at] * y[at];
    });
  }
  template <class Totals>
  NORMPROOF_DEVICE void finish(std::size_t row, std::size_t lane, Totals totals) const {
    const std::size_t own = mask.row(row), first = row * width;
    if (lane == 0) status[row] = totals[0];
    for (std::size_t i = lane; i < width; i += kLanes) {
      const std::size_t at = first + i;
      grad_x[at] = mask.is_included(own, i) ? y[at] * (grad_y[at] - totals[0]) : 0.0;
    }
  }
};

/// The backward of log-softmax: grad_x = grad_y - exp(y) S(grad_y). S(.) is the sum over the row.
struct LogSoftmaxBackwardRow {
  static constexpr int kNumTotals = 2;
  static constexpr int kNumMaxima = 0;
  ConstReals grad_y, y;
  std::size_t width;
  Reals grad_x, status;

  template <class Totals>
  NORMPROOF_DEVICE double lane(int k, std::size_t row, std::size_t lane, Totals) const {
    return lane_sum(width, lane, [&](std::size_t i) {
      const std::size_t at = row * width + i;
      return k == 0 ? grad_y[at] : y[at] - y[at];
    });
  }
  template <class Totals>
  NORMPROOF_DEVICE void finish(std::size_t row, std::size_t lane, Totals totals) const {
    // NOLINTNEXTLINE(misc-redundant-expression)
    if (lane == 0) status[row] = (totals[0] - totals[0]) + totals[1];
    for (std::size_t i = lane; i < width; i += kLanes) {
      const std::size_t at = row * width + i;
      grad_x[at] = grad_y[at] - evaluate_exp(y[at]) * totals[0];
    }
  }
};

}  // namespace normproof::gpu::ops
