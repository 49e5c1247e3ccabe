#include "ref/norm/power_norm_v.hpp"

#include "ref/norm/kernels.hpp"
#include "ref/norm/layer_support.hpp"
#include "ref/norm/power_norm_v_formula.hpp"

namespace normproof::ref::norm {

using model::Mode;

template <numeric::Real T>
PowerNormVForward<T> power_norm_v(const Tensor<T>& x, const Affine<T>& affine, const Mask& valid,
                                  const PowerNormVState<T>& state,
                                  const model::PowerNormVOptions& options, Mode mode) {
  constexpr auto kName = "power_norm_v";
  const Extents e = tensor::check_activations(kName, "x", shape_of(x));
  check_eps(kName, options.eps);
  check_decay(kName, "running_decay", options.running_decay);
  check_running_statistic(kName, "running_psi2", state.running_psi2, e.d_model, true);
  const Parameters<T> parameters(kName, affine, e.d_model);

  PowerNormVForward<T> result;
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
    result.saved.rstd = reciprocal_root(result.saved.quadratic_mean, options.eps);
    check_reciprocal(kName, "rstd", result.saved.rstd, "x", x);
    result.state.running_psi2 =
        moving_average(state.running_psi2, result.saved.quadratic_mean, options.running_decay);
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
AffineGradients<T> power_norm_v_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                         const Affine<T>& affine, const Mask& valid,
                                         const PowerNormVSaved<T>& saved, Mode mode) {
  constexpr auto kName = "power_norm_v_backward";
  const Extents e = tensor::check_activations(kName, "x", shape_of(x));
  const Parameters<T> parameters(kName, affine, e.d_model);
  check_backward(kName, grad_y, x, "rstd", saved.rstd, {e.d_model});

  AffineGradients<T> result = empty_gradients<T>(shape_of(x));
  const PowerNormGradients<T> in{.layout = row_layout(e),
                                 .grad_y = grad_y.data(),
                                 .x = x.data(),
                                 .gamma = parameters.gamma(),
                                 .rstd = saved.rstd.data()};
  run_on_channels(
      PowerNormParameterGradients<T>{in, result.grad_gamma.data(), result.grad_beta.data()});
  check_gradients(kName, result, grad_y);

  Tensor<T> c;
  const bool* valid_rows = nullptr;
  const bool training = mode == Mode::training;
  if (training) {
    const ValidRows rows(kName, valid, shape_of(x));
    c = scaled_mean(parameters, result.grad_gamma, rows.count());
    valid_rows = rows.flags();
  }
  run_on_rows(PowerNormBackwardRows<T>{in, valid_rows, training ? c.data() : nullptr,
                                       saved.rstd.data(), result.grad_x.data()});
  return result;
}

#define NORMPROOF_INSTANTIATE(T)                                                              \
  template PowerNormVForward<T> power_norm_v(const Tensor<T>&, const Affine<T>&, const Mask&, \
                                             const PowerNormVState<T>&,                       \
                                             const model::PowerNormVOptions&, Mode);          \
  template AffineGradients<T> power_norm_v_backward(const Tensor<T>&, const Tensor<T>&,       \
                                                    const Affine<T>&, const Mask&,            \
                                                    const PowerNormVSaved<T>&, Mode);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::norm
