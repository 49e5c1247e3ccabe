#include "ref/norm/power_norm_released.hpp"

#include "ref/norm/group_scaling.hpp"
#include "ref/norm/kernels.hpp"
#include "ref/norm/layer_support.hpp"
#include "ref/norm/nu.hpp"
#include "ref/norm/power_norm_formula.hpp"
#include "ref/norm/power_norm_v_formula.hpp"

namespace normproof::ref::norm {
namespace {

using model::Mode;
using model::PowerNormReleasedOptions;

model::GroupScalingOptions group_scaling_options(const PowerNormReleasedOptions& options) {
  return {.eps = options.group_eps, .groups = options.groups};
}

/// Returns ((k-1)/k) running + batch / k: the mean over k batches if `running` is the mean over the
/// first k - 1.
template <class T>
Tensor<T> cumulative_mean(const Tensor<T>& running, const Tensor<T>& batch, std::int64_t k) {
  const T count(static_cast<double>(k));
  const T keep = (count - T(1)) / count;
  Tensor<T> result = tensor::empty_tensor<T>(shape_of(running));
  for (std::size_t i = 0; i < result.size(); ++i)
    result.data()[i] = running.data()[i] * keep + batch.data()[i] / count;
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
  check_eps(kName, options.eps);
  check_decay(kName, "alpha_forward", options.alpha_forward);
  check_count(kName, "warmup_iterations", options.warmup_iterations, Clause::C14);
  check_count(kName, "iterations", state.iterations, Clause::C10);
  check_running_statistic(kName, "running_psi2", state.running_psi2, e.d_model, true);
  check_running_statistic(kName, "nu", state.nu, e.d_model, false);
  const Parameters<T> parameters(kName, affine, e.d_model);

  PowerNormReleasedForward<T> result;
  result.state = state;
  Tensor<T> scaled;
  if (options.group_scaling) {
    auto forward = group_scaling(x_in, group_scaling_options(options));
    scaled = std::move(forward.y);
    result.saved.group_rstd = std::move(forward.rstd);
  }
  const Tensor<T>& x = options.group_scaling ? scaled : x_in;

  if (mode == Mode::inference) {
    tensor::check_finite(kName, "x", x, Clause::C4);
    result.saved.rstd = reciprocal_root(state.running_psi2, options.eps);
    check_reciprocal(kName, "rstd", result.saved.rstd, "running_psi2", state.running_psi2);
  } else {
    const ValidRows rows(kName, valid, shape_of(x));
    result.saved.quadratic_mean = tensor::empty_tensor<T>({e.d_model});
    run_on_channels(QuadraticMean<T>{.layout = row_layout(e),
                                     .valid = rows.list(),
                                     .x = x.data(),
                                     .quadratic_mean = result.saved.quadratic_mean.data()});
    check_statistic(kName, "quadratic_mean", result.saved.quadratic_mean, "x", x);
    check_padding(kName, x, rows);
    const Tensor<T>& quadratic_mean = result.saved.quadratic_mean;
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
  }
  result.y = tensor::empty_tensor<T>(shape_of(x));
  run_on_rows(PowerNormRows<T>{.layout = row_layout(e),
                               .x = x.data(),
                               .gamma = parameters.gamma(),
                               .beta = parameters.beta(),
                               .rstd = result.saved.rstd.data(),
                               .y = result.y.data()});
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
  check_running_statistic(kName, "nu", nu, e.d_model, false);
  const Parameters<T> parameters(kName, affine, e.d_model);
  const Tensor<T> scaled =
      options.group_scaling ? group_scaling(x_in, group_scaling_options(options)).y : Tensor<T>();
  const Tensor<T>& x = options.group_scaling ? scaled : x_in;
  const bool training = mode == Mode::training;
  const bool by_batch = training && options.divide_by_batch_psi;
  if (by_batch) check_backward(kName, grad_y, x, "batch_rstd", saved.batch_rstd, Shape{e.d_model});
  check_backward(kName, grad_y, x, "rstd", saved.rstd, {e.d_model});

  PowerNormBackward<T> result;
  result.nu = nu;
  result.gradients = empty_gradients<T>(shape_of(x));
  const PowerNormGradients<T> in{.layout = row_layout(e),
                                 .grad_y = grad_y.data(),
                                 .x = x.data(),
                                 .gamma = parameters.gamma(),
                                 .rstd = saved.rstd.data()};
  run_on_channels(PowerNormParameterGradients<T>{in, result.gradients.grad_gamma.data(),
                                                 result.gradients.grad_beta.data()});
  check_gradients(kName, result.gradients, grad_y);

  Tensor<T> effective = nu;
  const bool* counted = nullptr;
  if (training) {
    const ValidRows valid_rows(kName, valid, shape_of(x));
    const bool all = options.pads_in_backward;
    if (!all) counted = valid_rows.flags();
    const ops::RowList rows = all ? ops::RowList{nullptr, e.rows()} : valid_rows.list();
    result.mean_x_hat_squared = tensor::empty_tensor<T>({e.d_model});
    result.mean_g_x_hat = tensor::empty_tensor<T>({e.d_model});
    run_on_channels(PowerNormMoments<T>{in, rows, result.mean_x_hat_squared.data(),
                                        result.mean_g_x_hat.data()});
    if (options.scaled_nu) {
      const T w = T(1) - T(options.alpha_backward);
      for (std::size_t i = 0; i < e.d_model; ++i) effective.data()[i] = w * nu.data()[i];
      Tensor<T> step = tensor::empty_tensor<T>({e.d_model});
      run_on_channels(ScaledNuUpdate<T>{in, rows, effective.data(), step.data()});
      for (std::size_t i = 0; i < e.d_model; ++i) result.nu.data()[i] += step.data()[i];
    } else {
      result.nu =
          update_nu(nu, result.mean_x_hat_squared, result.mean_g_x_hat, options.alpha_backward);
    }
    check_statistic(kName, "nu", result.nu, "grad_y", grad_y, Clause::C7, Clause::C7);
  }
  const Tensor<T>& scale = by_batch ? saved.batch_rstd : saved.rstd;
  run_on_rows(PowerNormBackwardRows<T>{in, counted, training ? effective.data() : nullptr,
                                       scale.data(), result.gradients.grad_x.data()});
  if (options.group_scaling) {
    result.gradients.grad_x = group_scaling_backward(
        result.gradients.grad_x, x_in, saved.group_rstd, group_scaling_options(options));
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
