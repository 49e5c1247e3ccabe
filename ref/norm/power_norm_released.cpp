#include "ref/norm/power_norm_released.hpp"

#include "ref/norm/column_layer.hpp"
#include "ref/norm/group_scaling.hpp"
#include "ref/norm/nu.hpp"

namespace normproof::ref::norm {
namespace {

using model::Mode;
using model::PowerNormReleasedOptions;

model::GroupScalingOptions group_options(const PowerNormReleasedOptions& options) {
  return {.eps = options.group_eps, .groups = options.groups};
}

/// ((k-1)/k) running + batch / k
template <class T>
Tensor<T> cumulative_mean(const Tensor<T>& running, const Tensor<T>& batch, std::int64_t k) {
  const T count(static_cast<double>(k));
  const T keep = (count - T(1)) / count;
  Tensor<T> result = tensor::empty_tensor<T>(shape_of(running));
  for (std::size_t i = 0; i < result.size(); ++i)
    result.data()[i] = running.data()[i] * keep + batch.data()[i] / count;
  return result;
}

/// (1/m) sum_R t x_hat with t = g - nu x_hat, channel by channel.
template <class T>
Tensor<T> mean_t_x_hat(const Tensor<T>& grad_y, const Tensor<T>& x, const Extents& e,
                       const Parameters<T>& parameters, const Tensor<T>& rstd, const Tensor<T>& nu,
                       const std::size_t* rows, std::size_t row_count) {
  Tensor<T> result = tensor::empty_tensor<T>({e.d_model});
  const auto terms = [&](std::size_t r) {
    const std::size_t offset = (rows == nullptr ? r : rows[r]) * e.d_model;
    return [&, x_row = x.data() + offset, grad_y_row = grad_y.data() + offset](auto at) {
      const auto x_hat = at(x_row) * at(rstd.data());
      const auto t = at(parameters.gamma()) * at(grad_y_row) - x_hat * at(nu.data());
      return t * x_hat;
    };
  };
  ops::column_sum<T>(row_count, e.d_model, result.data(),
                     [&](T* sum, auto... r) { ops::accumulate_rows(sum, e.d_model, terms(r)...); });
  for (std::size_t i = 0; i < e.d_model; ++i) result.data()[i] /= T(static_cast<double>(row_count));
  return result;
}

}  // namespace

template <numeric::Real T>
PowerNormReleasedForward<T> power_norm_released(const Tensor<T>& x_in, const Affine<T>& affine,
                                                const Mask& valid, const PowerNormState<T>& state,
                                                const PowerNormReleasedOptions& options,
                                                Mode mode) {
  constexpr auto kName = "power_norm_released";
  const Extents e = tensor::check_activations(kName, "x", shape_of(x_in));
  tensor::check_option(kName, "eps", options.eps, options.eps >= 0, "eps >= 0 (C2)");
  check_decay(kName, "alpha_forward", options.alpha_forward);
  check_count(kName, "warmup_iterations", options.warmup_iterations);
  check_count(kName, "iterations", state.iterations);
  check_running(kName, "running_psi2", state.running_psi2, e.d_model, true);
  check_running(kName, "nu", state.nu, e.d_model, false);
  const Parameters<T> parameters(kName, affine, e.d_model);

  PowerNormReleasedForward<T> result;
  result.state = state;
  Tensor<T> scaled;
  if (options.group_scaling) {
    auto forward = group_scaling(x_in, group_options(options));
    scaled = std::move(forward.y);
    result.saved.group_rstd = std::move(forward.rstd);
  }
  const Tensor<T>& x = options.group_scaling ? scaled : x_in;

  if (mode == Mode::inference) {
    tensor::check_finite(kName, "x", x);
    result.saved.rstd = reciprocal_root(state.running_psi2, options.eps);
    check_reciprocal(kName, "rstd", result.saved.rstd, "running_psi2", state.running_psi2);
  } else {
    const ValidRows rows(kName, valid, shape_of(x));
    const auto quadratic_mean = batch_statistics<false>(kName, x, e, rows).square;
    result.saved.batch_rstd = reciprocal_root(quadratic_mean, options.eps);
    const std::int64_t k = ++result.state.iterations;
    if (k <= options.warmup_iterations) {
      result.saved.rstd = result.saved.batch_rstd;
      check_reciprocal(kName, "rstd", result.saved.rstd, "x", x);
    } else {
      if (options.divide_by_batch_psi)
        check_reciprocal(kName, "batch_rstd", result.saved.batch_rstd, "x", x);
      result.saved.rstd = reciprocal_root(state.running_psi2, options.eps);
      check_reciprocal(kName, "rstd", result.saved.rstd, "running_psi2", state.running_psi2);
    }
    if (options.cumulative_warmup_average && k < options.warmup_iterations)
      result.state.running_psi2 = cumulative_mean(state.running_psi2, quadratic_mean, k);
    result.state.running_psi2 =
        moving_average(result.state.running_psi2, quadratic_mean, options.alpha_forward);
    result.saved.quadratic_mean = quadratic_mean;
  }
  result.y = column_forward<false, T>(x, e, parameters, nullptr, result.saved.rstd);
  return result;
}

template <numeric::Real T>
PowerNormBackward<T> power_norm_released_backward(const Tensor<T>& grad_y, const Tensor<T>& x_in,
                                                  const Affine<T>& affine, const Mask& valid,
                                                  const PowerNormReleasedSaved<T>& saved,
                                                  const Tensor<T>& nu,
                                                  const PowerNormReleasedOptions& options,
                                                  Mode mode) {
  constexpr auto kName = "power_norm_released_backward";
  const Extents e = tensor::check_activations(kName, "x", shape_of(x_in));
  check_decay(kName, "alpha_backward", options.alpha_backward);
  check_running(kName, "nu", nu, e.d_model, false);
  const Parameters<T> parameters(kName, affine, e.d_model);
  const Tensor<T> scaled =
      options.group_scaling ? group_scaling(x_in, group_options(options)).y : Tensor<T>();
  const Tensor<T>& x = options.group_scaling ? scaled : x_in;
  const bool training = mode == Mode::training;
  const bool by_batch = training && options.divide_by_batch_psi;
  if (by_batch) check_backward(kName, grad_y, x, "batch_rstd", saved.batch_rstd, Shape{e.d_model});

  PowerNormBackward<T> result;
  result.nu = nu;
  ColumnGradients<false, T> gradients(kName, grad_y, x, parameters, nullptr, saved.rstd,
                                      by_batch ? saved.batch_rstd : saved.rstd);
  gradients.parameters();
  if (training) {
    const ValidRows valid_rows(kName, valid, shape_of(x));
    const bool all = options.pads_in_backward;
    const std::size_t* rows = all ? nullptr : valid_rows.rows();
    const std::size_t row_count = all ? e.rows() : valid_rows.count();
    gradients.moments(rows, row_count, result.mean_x_hat_squared, result.mean_g_x_hat);
    Tensor<T> effective = nu;
    if (options.scaled_nu) {
      const T w = T(1) - T(options.alpha_backward);
      for (std::size_t i = 0; i < e.d_model; ++i) effective.data()[i] = w * nu.data()[i];
      const Tensor<T> step =
          mean_t_x_hat(grad_y, x, e, parameters, saved.rstd, effective, rows, row_count);
      for (std::size_t i = 0; i < e.d_model; ++i) result.nu.data()[i] += step.data()[i];
    } else {
      result.nu =
          next_nu(nu, result.mean_x_hat_squared, result.mean_g_x_hat, options.alpha_backward);
    }
    check_statistic(kName, "nu", result.nu, "grad_y", grad_y);
    result.gradients = gradients.input(nullptr, &effective, all ? nullptr : valid_rows.flags());
  } else {
    result.gradients = gradients.input(nullptr, nullptr, nullptr);
  }
  if (options.group_scaling) {
    result.gradients.grad_x = group_scaling_backward(result.gradients.grad_x, x_in,
                                                     saved.group_rstd, group_options(options));
  }
  return result;
}

#define NORMPROOF_INSTANTIATE(T)                                                                   \
  template PowerNormReleasedForward<T> power_norm_released(const Tensor<T>&, const Affine<T>&,     \
                                                           const Mask&, const PowerNormState<T>&,  \
                                                           const PowerNormReleasedOptions&, Mode); \
  template PowerNormBackward<T> power_norm_released_backward(                                      \
      const Tensor<T>&, const Tensor<T>&, const Affine<T>&, const Mask&,                           \
      const PowerNormReleasedSaved<T>&, const Tensor<T>&, const PowerNormReleasedOptions&, Mode);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::norm
