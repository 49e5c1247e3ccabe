#pragma once

#include <cstddef>

#include "ref/norm/kernel_arguments.hpp"
#include "ref/numeric/square_root.hpp"
#include "ref/ops/lane_sum.hpp"

/// The loops of the layers whose statistics belong to one column (docs/specification/norms.md),
/// over plain pointers. Rows are `stride` elements apart. `stat_rows` lists the rows that
/// statistics are taken over, in ascending order; null stands for rows 0 .. stat_count-1.
namespace normproof::ref::norm {
inline namespace NORMPROOF_ISA {

using numeric::square_root;

/// Columns [begin, end): mean = S_V(x)/n and square = S_V((x - mean)^2)/n, or S_V(x^2)/n.
template <bool centered, class T>
void column_statistics(const ColumnStatistics<T>& a, std::size_t begin, std::size_t end) {
  const std::size_t width = end - begin;
  const T count(static_cast<double>(a.stat_count));
  const auto row = [&a, begin](std::size_t r) {
    return a.x + (a.stat_rows == nullptr ? r : a.stat_rows[r]) * a.stride + begin;
  };
  if constexpr (centered) {
    const auto terms = [&row](std::size_t r) { return [x = row(r)](auto at) { return at(x); }; };
    ops::column_sum<T>(a.stat_count, width, a.mean + begin,
                       [&](T* sum, auto... r) { ops::accumulate_rows(sum, width, terms(r)...); });
    for (std::size_t i = begin; i < end; ++i) a.mean[i] /= count;
  }
  [[maybe_unused]] const T* mean = centered ? a.mean + begin : nullptr;
  const auto terms = [&](std::size_t r) {
    return [=, x = row(r)](auto at) {
      if constexpr (centered) {
        const auto d = at(x) - at(mean);
        return d * d;
      } else {
        return at(x) * at(x);
      }
    };
  };
  ops::column_sum<T>(a.stat_count, width, a.square + begin,
                     [&](T* sum, auto... r) { ops::accumulate_rows(sum, width, terms(r)...); });
  for (std::size_t i = begin; i < end; ++i) a.square[i] /= count;
}

/// x_hat = (x - mean) rstd, or x rstd, as a function of `at`; the pointers start at the same
/// column.
template <bool centered, class T>
inline auto normalized(const T* x, const T* mean, const T* rstd) {
  return [=](auto at) {
    if constexpr (centered)
      return (at(x) - at(mean)) * at(rstd);
    else
      return at(x) * at(rstd);
  };
}

/// Rows [begin, end): y = gamma x_hat + beta.
template <bool centered, class T>
void normalize_columns(const ColumnForward<T>& a, std::size_t begin, std::size_t end) {
  for (std::size_t row = begin; row < end; ++row) {
    const auto x_hat = normalized<centered>(a.x + row * a.d_model, a.mean, a.rstd);
    ops::fill(a.y + row * a.d_model, a.d_model, a.past_caches,
              [&](auto at) { return at(a.gamma) * x_hat(at) + at(a.beta); });
  }
  ops::stream_fence();
}

/// Columns [begin, end): grad_gamma = S_rows(grad_y x_hat), grad_beta = S_rows(grad_y).
template <bool centered, class T>
void column_parameter_gradients(const ColumnBackward<T>& b, std::size_t begin, std::size_t end) {
  const std::size_t width = end - begin;
  const T* mean = centered ? b.mean + begin : nullptr;
  ops::Scratch<T> sums(2 * width);
  const auto terms = [&](std::size_t row) {
    const T* grad_y = b.grad_y + row * b.d_model + begin;
    const auto x_hat = normalized<centered>(b.x + row * b.d_model + begin, mean, b.rstd + begin);
    return [grad_y, x_hat](auto at) {
      const auto& g = at(grad_y);
      const auto product = g * x_hat(at);
      return ops::TwoTerms{product, g};
    };
  };
  ops::column_sum<T>(b.rows, 2 * width, sums.get(), [&](T* sum, auto... row) {
    ops::accumulate_rows<2>(sum, width, terms(row)...);
  });
  for (std::size_t i = 0; i < width; ++i) {
    b.grad_gamma[begin + i] = sums[i];
    b.grad_beta[begin + i] = sums[width + i];
  }
}

/// Rows [begin, end): grad_x = (g - 1_V (a + x_hat c)) scale with a, c [D]; without a where not
/// centred; g scale alone where c is null. `valid` is null where every row is valid.
template <bool centered, class T>
void normalize_columns_backward(const ColumnBackward<T>& b, const T* a, const T* c,
                                const bool* valid, std::size_t begin, std::size_t end) {
  for (std::size_t row = begin; row < end; ++row) {
    const T* grad_y = b.grad_y + row * b.d_model;
    T* grad_x = b.grad_x + row * b.d_model;
    const auto g = [&b, grad_y](auto at) { return at(b.gamma) * at(grad_y); };
    if (c == nullptr || (valid != nullptr && !valid[row])) {
      ops::fill(grad_x, b.d_model, b.past_caches, [&](auto at) { return g(at) * at(b.scale); });
      continue;
    }
    const auto x_hat = normalized<centered>(b.x + row * b.d_model, b.mean, b.rstd);
    ops::fill(grad_x, b.d_model, b.past_caches, [&](auto at) {
      if constexpr (centered)
        return (g(at) - (at(a) + x_hat(at) * at(c))) * at(b.scale);
      else
        return (g(at) - x_hat(at) * at(c)) * at(b.scale);
    });
  }
  ops::stream_fence();
}

/// Columns [begin, end): mean_x_hat_squared = S(x_hat^2)/m and mean_g_x_hat = S(g x_hat)/m over the
/// m rows listed; null stands for rows 0 .. row_count-1.
template <bool centered, class T>
void column_moments(const ColumnBackward<T>& b, const std::size_t* rows, std::size_t row_count,
                    T* mean_x_hat_squared, T* mean_g_x_hat, std::size_t begin, std::size_t end) {
  const std::size_t width = end - begin;
  const T* mean = centered ? b.mean + begin : nullptr;
  const T* gamma = b.gamma + begin;
  ops::Scratch<T> sums(2 * width);
  const auto terms = [&](std::size_t r) {
    const std::size_t offset = (rows == nullptr ? r : rows[r]) * b.d_model + begin;
    const T* grad_y = b.grad_y + offset;
    const auto x_hat = normalized<centered>(b.x + offset, mean, b.rstd + begin);
    return [grad_y, gamma, x_hat](auto at) {
      const auto value = x_hat(at);
      const auto square = value * value;
      const auto product = at(gamma) * at(grad_y) * value;
      return ops::TwoTerms{square, product};
    };
  };
  ops::column_sum<T>(row_count, 2 * width, sums.get(),
                     [&](T* sum, auto... r) { ops::accumulate_rows<2>(sum, width, terms(r)...); });
  const T count(static_cast<double>(row_count));
  for (std::size_t i = 0; i < width; ++i) {
    mean_x_hat_squared[begin + i] = sums[i] / count;
    mean_g_x_hat[begin + i] = sums[width + i] / count;
  }
}

}  // namespace NORMPROOF_ISA
}  // namespace normproof::ref::norm
