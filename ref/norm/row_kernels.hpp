#pragma once

#include <cstddef>

#include "ref/norm/kernel_arguments.hpp"
#include "ref/numeric/square_root.hpp"
#include "ref/ops/lane_sum.hpp"

/// The loops of the layers whose statistics belong to one row (docs/specification/norms.md), over
/// plain pointers. A row is cut into `groups` equal parts, each with statistics of its own.
namespace normproof::ref::norm {
inline namespace NORMPROOF_ISA {

using numeric::square_root;

/// Rows [begin, end): statistics and y = gamma x_hat + beta.
template <bool centered, class T>
void normalize_rows(const RowForward<T>& a, std::size_t begin, std::size_t end) {
  const std::size_t width = a.d_model / a.groups;
  const T count(static_cast<double>(width));
  for (std::size_t row = begin; row < end; ++row) {
    for (std::size_t group = 0; group < a.groups; ++group) {
      const T* x = a.x + row * a.d_model + group * width;
      T* y = a.y + row * a.d_model + group * width;
      T mean(0);
      if constexpr (centered) {
        mean = ops::contiguous_lane_sum<T>(width, [x](auto at) { return at(x); }) / count;
        a.mean[row * a.groups + group] = mean;
      }
      const auto shifted = [&](auto at) {
        if constexpr (centered)
          return at(x) - mean;
        else
          return at(x);
      };
      const T square = ops::contiguous_lane_sum<T>(width, [&shifted](auto at) {
        const auto d = shifted(at);
        return d * d;
      });
      const T rstd = T(1) / square_root(T(square / count + a.eps));
      a.rstd[row * a.groups + group] = rstd;
      if (a.gamma == nullptr) {
        ops::fill(y, width, a.past_caches, [&](auto at) { return shifted(at) * rstd; });
      } else {
        const T* gamma = a.gamma + group * width;
        const T* beta = a.beta + group * width;
        ops::fill(y, width, a.past_caches,
                  [&](auto at) { return at(gamma) * (shifted(at) * rstd) + at(beta); });
      }
    }
  }
  ops::stream_fence();
}

/// The rows of the lanes [begin, end), lane l being the rows l, l+32, l+64, ...:
/// grad_x = ((g - a) - x_hat c) rstd, without a where the layer does not centre; and where
/// b.lane_sums [32, 2, d_model] is given, each lane's sums of grad_y x_hat and of grad_y.
template <bool centered, class T>
void normalize_rows_backward(const RowBackward<T>& b, std::size_t begin, std::size_t end) {
  const std::size_t width = b.d_model / b.groups;
  const T count(static_cast<double>(width));
  for (std::size_t lane = begin; lane < end; ++lane) {
    T* sums = b.lane_sums == nullptr ? nullptr : b.lane_sums + lane * 2 * b.d_model;
    for (std::size_t i = 0; sums != nullptr && i < 2 * b.d_model; ++i) sums[i] = T(0);
    for (std::size_t row = lane; row < b.rows; row += ops::kLanes) {
      if (row + ops::kLanes < b.rows) {
        ops::prefetch(b.x + (row + ops::kLanes) * b.d_model, b.d_model);
        ops::prefetch(b.grad_y + (row + ops::kLanes) * b.d_model, b.d_model);
      }
      for (std::size_t group = 0; group < b.groups; ++group) {
        const std::size_t offset = row * b.d_model + group * width;
        const T* x = b.x + offset;
        const T* grad_y = b.grad_y + offset;
        const T rstd = b.rstd[row * b.groups + group];
        const T mean = centered ? b.mean[row * b.groups + group] : T(0);
        const auto x_hat = [&](auto at) {
          if constexpr (centered)
            return (at(x) - mean) * rstd;
          else
            return at(x) * rstd;
        };
        const auto backward = [&](auto&& g) {
          T a(0);
          if constexpr (centered) a = ops::contiguous_lane_sum<T>(width, g) / count;
          const T c =
              ops::contiguous_lane_sum<T>(width, [&](auto at) { return g(at) * x_hat(at); }) /
              count;
          ops::fill(b.grad_x + offset, width, b.past_caches, [&](auto at) {
            if constexpr (centered)
              return ((g(at) - a) - x_hat(at) * c) * rstd;
            else
              return (g(at) - x_hat(at) * c) * rstd;
          });
        };
        if (b.gamma == nullptr) {
          backward([grad_y](auto at) { return at(grad_y); });
        } else {
          const T* gamma = b.gamma + group * width;
          backward([grad_y, gamma](auto at) { return at(gamma) * at(grad_y); });
        }
        if (sums == nullptr) continue;
        ops::accumulate(sums + group * width, width,
                        [&](auto at) { return at(grad_y) * x_hat(at); });
        ops::accumulate(sums + b.d_model + group * width, width,
                        [grad_y](auto at) { return at(grad_y); });
      }
    }
  }
  ops::stream_fence();
}

/// Elements [begin, end) of the sums over all rows, from the lanes' sums: left in lane 0.
template <class T>
void add_row_lanes(const RowBackward<T>& b, std::size_t begin, std::size_t end) {
  const std::size_t count = b.rows < ops::kLanes ? b.rows : ops::kLanes;
  ops::add_lanes(b.lane_sums, count, 2 * b.d_model, begin, end);
}

}  // namespace NORMPROOF_ISA
}  // namespace normproof::ref::norm
