#include "ref/norm/batch_renorm.hpp"

#include "ref/norm/batch_norm_formula.hpp"
#include "ref/norm/batch_renorm_formula.hpp"
#include "ref/norm/kernels.hpp"
#include "ref/norm/layer_support.hpp"

namespace normproof::ref::norm {

using model::Mode;

template <numeric::Real T>
BatchRenormForward<T> batch_renorm(const Tensor<T>& x, const Affine<T>& affine, const Mask& valid,
                                   const BatchNormState<T>& state,
                                   const model::BatchRenormOptions& options, Mode mode) {
  constexpr auto kName = "batch_renorm";
  tensor::check_option(kName, "r_max", options.r_max, options.r_max >= 1, "r_max >= 1",
                       Clause::C13);
  tensor::check_option(kName, "d_max", options.d_max, options.d_max >= 0, "d_max >= 0",
                       Clause::C13);
  const model::BatchNormOptions base{.eps = options.eps,
                                     .running_decay = options.running_decay,
                                     .unbiased_running_variance = false};
  auto z = batch_norm(x, Affine<T>{}, valid, state, base, mode);
  const Extents e = tensor::check_activations(kName, "x", shape_of(x));
  const Parameters<T> parameters(kName, affine, e.d_model);

  BatchRenormForward<T> result;
  result.state = std::move(z.state);
  result.saved = {
      std::move(z.saved.mean), std::move(z.saved.biased_variance), std::move(z.saved.rstd), {}, {}};
  if (mode == Mode::inference) {
    result.y = tensor::empty_tensor<T>(shape_of(x));
    run_on_rows(BatchNormRows<T>{.layout = row_layout(e),
                                 .x = x.data(),
                                 .gamma = parameters.gamma(),
                                 .beta = parameters.beta(),
                                 .mean = result.saved.mean.data(),
                                 .rstd = result.saved.rstd.data(),
                                 .y = result.y.data()});
    return result;
  }
  const Tensor<T> running_rstd = reciprocal_root(state.running_variance, options.eps);
  check_reciprocal(kName, "1/s", running_rstd, "running_variance", state.running_variance);
  result.saved.r = tensor::empty_tensor<T>({e.d_model});
  result.saved.d = tensor::empty_tensor<T>({e.d_model});
  const T r_max(options.r_max);
  const T d_max(options.d_max);
  for (std::size_t i = 0; i < e.d_model; ++i) {
    const T s = numeric::square_root(T(state.running_variance.data()[i] + T(options.eps)));
    const T r = T(1) / result.saved.rstd.data()[i] / s;
    const T d = (result.saved.mean.data()[i] - state.running_mean.data()[i]) / s;
    result.saved.r.data()[i] = numeric::stop_gradient(numeric::clamp(r, T(T(1) / r_max), r_max));
    result.saved.d.data()[i] = numeric::stop_gradient(numeric::clamp(d, T(-d_max), d_max));
  }
  result.y = std::move(z.y);
  run_on_rows(BatchRenormRows<T>{.layout = row_layout(e),
                                 .z = result.y.data(),
                                 .gamma = parameters.gamma(),
                                 .beta = parameters.beta(),
                                 .r = result.saved.r.data(),
                                 .d = result.saved.d.data(),
                                 .y = result.y.data()});
  return result;
}

template <numeric::Real T>
AffineGradients<T> batch_renorm_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                         const Affine<T>& affine, const Mask& valid,
                                         const BatchRenormSaved<T>& saved, Mode mode) {
  constexpr auto kName = "batch_renorm_backward";
  if (mode == Mode::inference)
    return batch_norm_backward(grad_y, x, affine, valid, {saved.mean, {}, saved.rstd}, mode);
  const Extents e = tensor::check_activations(kName, "x", shape_of(x));
  const Parameters<T> parameters(kName, affine, e.d_model);
  check_backward(kName, grad_y, x, "r", saved.r, {e.d_model});
  check_backward(kName, grad_y, x, "d", saved.d, {e.d_model});
  check_backward(kName, grad_y, x, "mean", saved.mean, {e.d_model});
  check_backward(kName, grad_y, x, "rstd", saved.rstd, {e.d_model});
  const ValidRows rows(kName, valid, shape_of(x));
  Tensor<T> scale = tensor::empty_tensor<T>({e.d_model});
  for (std::size_t i = 0; i < e.d_model; ++i)
    scale.data()[i] = saved.r.data()[i] * saved.rstd.data()[i];

  AffineGradients<T> result = empty_gradients<T>(shape_of(x));
  Tensor<T> sum_grad_y_z = tensor::empty_tensor<T>({e.d_model});
  const BatchNormBackward<T> in{.layout = row_layout(e),
                                .grad_y = grad_y.data(),
                                .x = x.data(),
                                .gamma = parameters.gamma(),
                                .mean = saved.mean.data(),
                                .rstd = saved.rstd.data()};
  run_on_channels(BatchNormParameterGradients<T>{in, sum_grad_y_z.data(), result.grad_beta.data()});
  check_statistic(kName, "grad_beta", result.grad_beta, "grad_y", grad_y, Clause::C7, Clause::C7);
  check_statistic(kName, "grad_gamma", sum_grad_y_z, "grad_y", grad_y, Clause::C7, Clause::C7);
  const Tensor<T> a = scaled_mean(parameters, result.grad_beta, rows.count());
  const Tensor<T> c = scaled_mean(parameters, sum_grad_y_z, rows.count());
  run_on_rows(BatchNormBackwardRows<T>{in, rows.flags(), a.data(), c.data(), scale.data(),
                                       result.grad_x.data()});
  run_on_channels(
      BatchRenormGammaGradient<T>{in, saved.r.data(), saved.d.data(), result.grad_gamma.data()});
  return result;
}

#define NORMPROOF_INSTANTIATE(T)                                                               \
  template BatchRenormForward<T> batch_renorm(const Tensor<T>&, const Affine<T>&, const Mask&, \
                                              const BatchNormState<T>&,                        \
                                              const model::BatchRenormOptions&, Mode);         \
  template AffineGradients<T> batch_renorm_backward(const Tensor<T>&, const Tensor<T>&,        \
                                                    const Affine<T>&, const Mask&,             \
                                                    const BatchRenormSaved<T>&, Mode);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::norm
