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
        mean = ops::contiguous_lane_sum<T>(width,
                                           [x](auto at) {
                                             ops::prefetch(at, x);
                                             return at(x);
                                           }) /
               count;
        a.mean[row * a.groups + group] = mean;
      }
      const auto shifted = [&](auto at) {
        if constexpr (centered)
          return at(x) - mean;
        else
          return at(x);
      };
      const T square = ops::contiguous_lane_sum<T>(width, [&](auto at) {
        if constexpr (!centered) ops::prefetch(at, x);
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
  for (std::size_t i = begin * 2 * b.d_model; b.lane_sums != nullptr && i < end * 2 * b.d_model;
       ++i)
    b.lane_sums[i] = T(0);
  for (std::size_t first = 0; first < b.rows; first += ops::kLanes) {
    for (std::size_t lane = begin; lane < end && first + lane < b.rows; ++lane) {
      for (std::size_t group = 0; group < b.groups; ++group) {
        const std::size_t offset = (first + lane) * b.d_model + group * width;
        const std::size_t statistic = (first + lane) * b.groups + group;
        const T* x = b.x + offset;
        const T* grad_y = b.grad_y + offset;
        const T rstd = b.rstd[statistic];
        const T mean = centered ? b.mean[statistic] : T(0);
        const auto x_hat = [&](auto at) {
          if constexpr (centered)
            return (at(x) - mean) * rstd;
          else
            return at(x) * rstd;
        };
        // `add` takes the terms of the parameters' gradients along, where there are parameters.
        const auto backward = [&](auto&& g, auto&& add) {
          const auto prefetch = [&](auto at) {
            ops::prefetch(at, x);
            ops::prefetch(at, grad_y);
          };
          T a(0);
          if constexpr (centered)
            a = ops::contiguous_lane_sum<T>(width,
                                            [&](auto at) {
                                              prefetch(at);
                                              return g(at);
                                            }) /
                count;
          const T c = ops::contiguous_lane_sum<T>(width,
                                                  [&](auto at) {
                                                    if constexpr (!centered) prefetch(at);
                                                    const auto value = x_hat(at);
                                                    add(at, value);
                                                    return g(at) * value;
                                                  }) /
                      count;
          ops::fill(b.grad_x + offset, width, b.past_caches, [&](auto at) {
            if constexpr (centered)
              return ((g(at) - a) - x_hat(at) * c) * rstd;
            else
              return (g(at) - x_hat(at) * c) * rstd;
          });
        };
        if (b.gamma == nullptr) {
          backward([grad_y](auto at) { return at(grad_y); }, [](auto, const auto&) {});
        } else {
          const T* gamma = b.gamma + group * width;
          T* grad_gamma = b.lane_sums + lane * 2 * b.d_model + group * width;
          T* grad_beta = grad_gamma + b.d_model;
          backward([grad_y, gamma](auto at) { return at(gamma) * at(grad_y); },
                   [grad_y, grad_gamma, grad_beta](auto at, const auto& value) {
                     at.set(grad_gamma, at(grad_gamma) + at(grad_y) * value);
                     at.set(grad_beta, at(grad_beta) + at(grad_y));
                   });
        }
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
