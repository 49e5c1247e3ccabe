#pragma once

#include <algorithm>

#include "ref/norm/kernels.hpp"
#include "ref/norm/layer_support.hpp"

/// What the layers with statistics per row share: allocation, threads, checks. The formulas are in
/// row_kernels.hpp.
namespace normproof::ref::norm {

template <class T>
struct RowResult {
  Tensor<T> y;
  Tensor<T> mean;  ///< empty where not centred
  Tensor<T> rstd;
};

/// Null parameters stand for a layer without gamma and beta. `statistics_shape` is that of mean and
/// rstd: [N] or [B,T], with one more axis where there are several groups.
template <bool centered, class T>
RowResult<T> row_forward(std::string_view name, const Tensor<T>& x, const Parameters<T>* parameters,
                         double eps, std::size_t groups, const Shape& statistics_shape) {
  const Extents e = tensor::check_activations(name, "x", shape_of(x));
  tensor::check_option(name, "eps", eps, eps >= 0, "eps >= 0 (C2)");
  RowResult<T> result;
  result.y = tensor::empty_tensor<T>(shape_of(x));
  if (centered) result.mean = tensor::empty_tensor<T>(statistics_shape);
  result.rstd = tensor::empty_tensor<T>(statistics_shape);
  const RowForward<T> arguments{.x = x.data(),
                                .gamma = parameters ? parameters->gamma() : nullptr,
                                .beta = parameters ? parameters->beta() : nullptr,
                                .eps = T(eps),
                                .d_model = e.d_model,
                                .groups = groups,
                                .past_caches = past_caches(e.size()),
                                .y = result.y.data(),
                                .mean = result.mean.data(),
                                .rstd = result.rstd.data()};
  numeric::parallel_for(e.rows(), grain(e.d_model), [&](std::size_t begin, std::size_t end) {
    Kernels<T, centered>::normalize_rows(arguments, begin, end);
  });
  if (centered) check_statistic(name, "mean", result.mean, "x", x);
  check_reciprocal(name, "rstd", result.rstd, "x", x);
  return result;
}

/// grad_gamma and grad_beta are left empty where parameters are null; grad_y is then checked
/// element by element.
template <bool centered, class T>
AffineGradients<T> row_backward(std::string_view name, const Tensor<T>& grad_y, const Tensor<T>& x,
                                const Parameters<T>* parameters, const Tensor<T>* mean,
                                const Tensor<T>& rstd, std::size_t groups,
                                const Shape& statistics_shape) {
  const Extents e = tensor::check_activations(name, "x", shape_of(x));
  if (mean != nullptr) check_backward(name, grad_y, x, "mean", *mean, statistics_shape);
  check_backward(name, grad_y, x, "rstd", rstd, statistics_shape);

  AffineGradients<T> result;
  result.grad_x = tensor::empty_tensor<T>(shape_of(x));
  Tensor<T> lane_sums;
  if (parameters != nullptr)
    lane_sums = tensor::empty_tensor<T>({ops::kLanes, std::size_t{2}, e.d_model});
  const RowBackward<T> arguments{.grad_y = grad_y.data(),
                                 .x = x.data(),
                                 .gamma = parameters ? parameters->gamma() : nullptr,
                                 .mean = mean ? mean->data() : nullptr,
                                 .rstd = rstd.data(),
                                 .rows = e.rows(),
                                 .d_model = e.d_model,
                                 .groups = groups,
                                 .past_caches = past_caches(e.size()),
                                 .grad_x = result.grad_x.data(),
                                 .lane_sums = parameters ? lane_sums.data() : nullptr};
  const std::size_t lanes = std::min(e.rows(), ops::kLanes);
  numeric::parallel_for(lanes, grain(e.size() / lanes), [&](std::size_t begin, std::size_t end) {
    Kernels<T, centered>::normalize_rows_backward(arguments, begin, end);
  });
  if (parameters == nullptr) {
    tensor::check_finite(name, "grad_y", grad_y);
    return result;
  }
  numeric::parallel_for(2 * e.d_model, grain(lanes), [&](std::size_t begin, std::size_t end) {
    Kernels<T, centered>::add_row_lanes(arguments, begin, end);
  });
  result.grad_gamma = tensor::empty_tensor<T>({e.d_model});
  result.grad_beta = tensor::empty_tensor<T>({e.d_model});
  for (std::size_t i = 0; i < e.d_model; ++i) {
    result.grad_gamma.data()[i] = lane_sums.data()[i];
    result.grad_beta.data()[i] = lane_sums.data()[e.d_model + i];
  }
  check_gradients(name, result, grad_y);
  return result;
}

}  // namespace normproof::ref::norm
