#pragma once

#include "ref/norm/kernels.hpp"
#include "ref/norm/layer_support.hpp"

/// What the layers with statistics per channel share: allocation, threads, checks. The formulas are
/// in column_kernels.hpp.
namespace normproof::ref::norm {

/// mean and biased_variance where centred, else the quadratic mean in `square`.
template <class T>
struct BatchStatistics {
  Tensor<T> mean;
  Tensor<T> square;
};

template <bool centered, class T>
BatchStatistics<T> batch_statistics(std::string_view name, const Tensor<T>& x, const Extents& e,
                                    const ValidRows& valid) {
  BatchStatistics<T> result;
  if (centered) result.mean = tensor::empty_tensor<T>({e.d_model});
  result.square = tensor::empty_tensor<T>({e.d_model});
  const ColumnStatistics<T> arguments{.x = x.data(),
                                      .stride = e.d_model,
                                      .stat_rows = valid.rows(),
                                      .stat_count = valid.count(),
                                      .mean = result.mean.data(),
                                      .square = result.square.data()};
  numeric::parallel_for(e.d_model, grain(e.rows()), [&](std::size_t begin, std::size_t end) {
    Kernels<T, centered>::column_statistics(arguments, begin, end);
  });
  if (centered) check_statistic(name, "mean", result.mean, "x", x);
  check_statistic(name, centered ? "biased_variance" : "quadratic_mean", result.square, "x", x);
  // Padded rows are outputs too; what is not finite there does not show in the statistics.
  if (valid.rows() != nullptr) tensor::check_finite(name, "x", x);
  return result;
}

/// y = gamma ((x - mean) rstd) + beta, mean null where not centred.
template <bool centered, class T>
Tensor<T> column_forward(const Tensor<T>& x, const Extents& e, const Parameters<T>& parameters,
                         const Tensor<T>* mean, const Tensor<T>& rstd) {
  Tensor<T> y = tensor::empty_tensor<T>(shape_of(x));
  const ColumnForward<T> arguments{.x = x.data(),
                                   .gamma = parameters.gamma(),
                                   .beta = parameters.beta(),
                                   .mean = mean ? mean->data() : nullptr,
                                   .rstd = rstd.data(),
                                   .d_model = e.d_model,
                                   .past_caches = past_caches(e.size()),
                                   .y = y.data()};
  numeric::parallel_for(e.rows(), grain(e.d_model), [&](std::size_t begin, std::size_t end) {
    Kernels<T, centered>::normalize_columns(arguments, begin, end);
  });
  return y;
}

/// The backward of a layer with statistics per channel, in its three steps: construct (allocates),
/// parameters(), then input() with the a and c of the layer.
template <bool centered, class T>
class ColumnGradients {
 public:
  ColumnGradients(std::string_view name, const Tensor<T>& grad_y, const Tensor<T>& x,
                  const Parameters<T>& parameters, const Tensor<T>* mean, const Tensor<T>& rstd,
                  const Tensor<T>& scale)
      : name_(name), grad_y_(grad_y), extents_(tensor::check_activations(name, "x", shape_of(x))) {
    const Shape channels{extents_.d_model};
    if (mean != nullptr) check_backward(name, grad_y, x, "mean", *mean, channels);
    check_backward(name, grad_y, x, "rstd", rstd, channels);
    result_.grad_x = tensor::empty_tensor<T>(shape_of(x));
    result_.grad_gamma = tensor::empty_tensor<T>(channels);
    result_.grad_beta = tensor::empty_tensor<T>(channels);
    arguments_ = {.grad_y = grad_y.data(),
                  .x = x.data(),
                  .gamma = parameters.gamma(),
                  .mean = mean ? mean->data() : nullptr,
                  .rstd = rstd.data(),
                  .scale = scale.data(),
                  .rows = extents_.rows(),
                  .d_model = extents_.d_model,
                  .past_caches = past_caches(extents_.size()),
                  .grad_x = result_.grad_x.data(),
                  .grad_gamma = result_.grad_gamma.data(),
                  .grad_beta = result_.grad_beta.data()};
  }

  void parameters() {
    numeric::parallel_for(extents_.d_model, grain(extents_.rows()), [this](auto begin, auto end) {
      Kernels<T, centered>::column_parameter_gradients(arguments_, begin, end);
    });
    check_gradients(name_, result_, grad_y_);
  }

  /// mean_x_hat_squared and mean_g_x_hat over the rows listed; null stands for all rows.
  void moments(const std::size_t* rows, std::size_t row_count, Tensor<T>& mean_x_hat_squared,
               Tensor<T>& mean_g_x_hat) {
    mean_x_hat_squared = tensor::empty_tensor<T>({extents_.d_model});
    mean_g_x_hat = tensor::empty_tensor<T>({extents_.d_model});
    numeric::parallel_for(extents_.d_model, grain(row_count), [&](auto begin, auto end) {
      Kernels<T, centered>::column_moments(arguments_, rows, row_count, mean_x_hat_squared.data(),
                                           mean_g_x_hat.data(), begin, end);
    });
  }

  /// grad_x = (g - 1_V (a + x_hat c)) scale; a null where not centred, c null for g scale alone.
  AffineGradients<T> input(const Tensor<T>* a, const Tensor<T>* c, const bool* valid) {
    const T* a_data = a ? a->data() : nullptr;
    const T* c_data = c ? c->data() : nullptr;
    numeric::parallel_for(extents_.rows(), grain(extents_.d_model), [&](auto begin, auto end) {
      Kernels<T, centered>::normalize_columns_backward(arguments_, a_data, c_data, valid, begin,
                                                       end);
    });
    return std::move(result_);
  }

  const AffineGradients<T>& so_far() const { return result_; }

 private:
  std::string_view name_;
  const Tensor<T>& grad_y_;
  Extents extents_;
  AffineGradients<T> result_;
  ColumnBackward<T> arguments_;
};

/// Computes  (gamma sum) / n, channel by channel
template <class T>
Tensor<T> scaled_mean(const Parameters<T>& parameters, const Tensor<T>& sum, std::size_t n) {
  Tensor<T> result = tensor::empty_tensor<T>(shape_of(sum));
  for (std::size_t i = 0; i < result.size(); ++i)
    result.data()[i] = parameters.gamma()[i] * sum.data()[i] / T(static_cast<double>(n));
  return result;
}

}  // namespace normproof::ref::norm
