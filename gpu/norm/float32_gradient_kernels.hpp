#pragma once

#include "gpu/norm/number_formats.hpp"
#include "gpu/ops/lane_kernels.hpp"

/// The gradients of gamma and beta beside float32_backward_row.hpp, in two stages that add in the
/// order of docs/determinism.md, R2, over the rows, whatever the launch: lanes of rows, then the
/// tree.
namespace normproof::gpu::norm {

/// A parameter in the arithmetic, or 1 + it.
template <class Format, class Scalar>
struct WidenParameter {
  device::Span<const typename Format::Element> from;
  bool plus_one;
  device::Span<Scalar> to;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    const auto v = static_cast<Scalar>(Format::widen(from[i]));
    to[i] = plus_one ? Scalar(1) + v : v;
  }
};

/// Element i is lane i / groups of the features of group i % groups, as many as 16 bytes hold: the
/// terms grad_y x_hat and grad_y of the rows lane, lane + 32, ... of [first_row, end_row),
/// ascending, from +0, or from where the rows before first_row, a multiple of 32, ended.
template <class Format, class Scalar, bool centred>
struct Float32GradientLanes {
  using Element = typename Format::Element;
  using Slot = Vector<Element>;
  /// Rows that are loaded before they are added, for a GPU waits for the memory of several at once:
  /// what fits into 64 registers beside the sums.
  static constexpr std::size_t kRowsAhead = 16 / Slot::kSize;

  device::Span<const Element> grad_y, x;
  device::Span<const Scalar> mean, rstd;
  std::size_t first_row, end_row, width;
  device::Span<Scalar> gamma, beta;  ///< [32, width]

  NORMPROOF_DEVICE static std::size_t groups(std::size_t width) {
    return (width + Slot::kSize - 1) / Slot::kSize;
  }
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    const std::size_t lane = i / groups(width);
    const std::size_t column = i % groups(width) * Slot::kSize;
    Sums sums{};
    for (std::size_t j = 0; first_row > 0 && j < Slot::kSize; ++j) {
      if (column + j >= width) continue;
      sums.gamma[j] = gamma[lane * width + column + j];
      sums.beta[j] = beta[lane * width + column + j];
    }
    // Rows begin at multiples of 16 bytes where the width is one.
    if (width % Slot::kSize == 0)
      add_whole(lane, column, sums);
    else
      add_elements(lane, column, sums);
    for (std::size_t j = 0; j < Slot::kSize; ++j) {
      if (column + j >= width) continue;
      gamma[lane * width + column + j] = sums.gamma[j];
      beta[lane * width + column + j] = sums.beta[j];
    }
  }

 private:
  struct Sums {
    Scalar gamma[Slot::kSize];
    Scalar beta[Slot::kSize];
  };

  NORMPROOF_DEVICE void add_whole(std::size_t lane, std::size_t column, Sums& sums) const {
    std::size_t row = first_row + lane;
    for (; row + (kRowsAhead - 1) * ops::kLanes < end_row; row += kRowsAhead * ops::kLanes) {
      Slot of_x[kRowsAhead], of_grad_y[kRowsAhead];
      for (std::size_t k = 0; k < kRowsAhead; ++k) {
        of_x[k] = load_vector(x, (row + k * ops::kLanes) * width + column);
        of_grad_y[k] = load_vector(grad_y, (row + k * ops::kLanes) * width + column);
      }
      for (std::size_t k = 0; k < kRowsAhead; ++k)
        add(row + k * ops::kLanes, of_x[k], of_grad_y[k], sums);
    }
    for (; row < end_row; row += ops::kLanes)
      add(row, load_vector(x, row * width + column), load_vector(grad_y, row * width + column),
          sums);
  }
  NORMPROOF_DEVICE void add_elements(std::size_t lane, std::size_t column, Sums& sums) const {
    for (std::size_t row = first_row + lane; row < end_row; row += ops::kLanes) {
      Slot of_x{}, of_grad_y{};
      for (std::size_t j = 0; j < Slot::kSize; ++j) {
        if (column + j >= width) continue;
        of_x.element[j] = x[row * width + column + j];
        of_grad_y.element[j] = grad_y[row * width + column + j];
      }
      add(row, of_x, of_grad_y, sums);
    }
  }
  NORMPROOF_DEVICE void add(std::size_t row, const Slot& of_x, const Slot& of_grad_y,
                            Sums& sums) const {
    const Scalar own_mean = centred ? mean[row] : Scalar(0);
    const Scalar own_rstd = rstd[row];
    for (std::size_t j = 0; j < Slot::kSize; ++j) {
      const auto v = static_cast<Scalar>(Format::widen(of_x.element[j]));
      const auto g = static_cast<Scalar>(Format::widen(of_grad_y.element[j]));
      const Scalar x_hat = (centred ? v - own_mean : v) * own_rstd;
      sums.gamma[j] += g * x_hat;
      sums.beta[j] += g;
    }
  }
};

/// The tree over the lanes of a feature, stored in the format of the parameters.
template <class Format, class Scalar>
struct Float32GradientTree {
  device::Span<const Scalar> lanes;  ///< [32, width]
  std::size_t width;
  device::Span<typename Format::Element> sum;  ///< [width]

  NORMPROOF_DEVICE void operator()(std::size_t column) const {
    Scalar lane[ops::kLanes];
    for (std::size_t l = 0; l < ops::kLanes; ++l) lane[l] = lanes[l * width + column];
    for (int stride = ops::kLanes / 2; stride > 0; stride /= 2)
      for (int l = 0; l < stride; ++l) lane[l] += lane[l + stride];
    sum[column] = Format::narrow(lane[0]);
  }
};

}  // namespace normproof::gpu::norm
