#include "ref/norm/power_norm.hpp"

#include "ref/norm/kernels.hpp"
#include "ref/norm/layer_support.hpp"
#include "ref/norm/nu.hpp"
#include "ref/norm/power_norm_formula.hpp"
#include "ref/norm/power_norm_v_formula.hpp"

namespace normproof::ref::norm {

using model::Mode;

template <numeric::Real T>
PowerNormForward<T> power_norm(const Tensor<T>& x, const Affine<T>& affine, const Mask& valid,
                               const PowerNormState<T>& state,
                               const model::PowerNormOptions& options, Mode mode) {
  constexpr auto kName = "power_norm";
  const Extents e = tensor::check_activations(kName, "x", shape_of(x));
  check_eps(kName, options.eps);
  check_decay(kName, "alpha_forward", options.alpha_forward);
  check_count(kName, "warmup_iterations", options.warmup_iterations, Clause::C14);
  check_count(kName, "iterations", state.iterations, Clause::C10);
  check_running_statistic(kName, "running_psi2", state.running_psi2, e.d_model, true);
  check_running_statistic(kName, "nu", state.nu, e.d_model, false);
  const Parameters<T> parameters(kName, affine, e.d_model);

  PowerNormForward<T> result;
  result.state = state;
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
    const bool warming_up = ++result.state.iterations <= options.warmup_iterations;
    const Tensor<T>& psi2 = warming_up ? result.saved.quadratic_mean : state.running_psi2;
    result.saved.rstd = reciprocal_root(psi2, options.eps);
    check_reciprocal(kName, "rstd", result.saved.rstd, warming_up ? "x" : "running_psi2", psi2);
    result.state.running_psi2 =
        moving_average(state.running_psi2, result.saved.quadratic_mean, options.alpha_forward);
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
PowerNormBackward<T> power_norm_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                         const Affine<T>& affine, const Mask& valid,
                                         const PowerNormSaved<T>& saved, const Tensor<T>& nu,
                                         const model::PowerNormOptions& options, Mode mode) {
  constexpr auto kName = "power_norm_backward";
  const Extents e = tensor::check_activations(kName, "x", shape_of(x));
  check_decay(kName, "alpha_backward", options.alpha_backward);
  check_running_statistic(kName, "nu", nu, e.d_model, false);
  const Parameters<T> parameters(kName, affine, e.d_model);
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

  const bool* valid_rows = nullptr;
  const bool training = mode == Mode::training;
  if (training) {
    const ValidRows rows(kName, valid, shape_of(x));
    result.mean_x_hat_squared = tensor::empty_tensor<T>({e.d_model});
    result.mean_g_x_hat = tensor::empty_tensor<T>({e.d_model});
    run_on_channels(PowerNormMoments<T>{in, rows.list(), result.mean_x_hat_squared.data(),
                                        result.mean_g_x_hat.data()});
    result.nu =
        update_nu(nu, result.mean_x_hat_squared, result.mean_g_x_hat, options.alpha_backward);
    check_statistic(kName, "nu", result.nu, "grad_y", grad_y, Clause::C7, Clause::C7);
    valid_rows = rows.flags();
  }
  run_on_rows(PowerNormBackwardRows<T>{in, valid_rows, training ? nu.data() : nullptr,
                                       saved.rstd.data(), result.gradients.grad_x.data()});
  return result;
}

#define NORMPROOF_INSTANTIATE(T)                                                                   \
  template PowerNormForward<T> power_norm(const Tensor<T>&, const Affine<T>&, const Mask&,         \
                                          const PowerNormState<T>&,                                \
                                          const model::PowerNormOptions&, Mode);                   \
  template PowerNormBackward<T> power_norm_backward(                                               \
      const Tensor<T>&, const Tensor<T>&, const Affine<T>&, const Mask&, const PowerNormSaved<T>&, \
      const Tensor<T>&, const model::PowerNormOptions&, Mode);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::norm
