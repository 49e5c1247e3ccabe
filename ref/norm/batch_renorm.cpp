#include "ref/norm/batch_renorm.hpp"

#include "ref/norm/column_layer.hpp"

namespace normproof::ref::norm {

using model::Mode;

template <numeric::Real T>
BatchRenormForward<T> batch_renorm(const Tensor<T>& x, const Affine<T>& affine, const Mask& valid,
                                   const BatchNormState<T>& state,
                                   const model::BatchRenormOptions& options, Mode mode) {
  constexpr auto kName = "batch_renorm";
  tensor::check_option(kName, "r_max", options.r_max, options.r_max >= 1, "r_max >= 1 (C8)");
  tensor::check_option(kName, "d_max", options.d_max, options.d_max >= 0, "d_max >= 0 (C8)");
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
    result.y = column_forward<true>(x, e, parameters, &result.saved.mean, result.saved.rstd);
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
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t channel = i % e.d_model;
    T& y = result.y.data()[i];
    y = parameters.gamma()[channel] *
            (y * result.saved.r.data()[channel] + result.saved.d.data()[channel]) +
        parameters.beta()[channel];
  }
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
  check_backward(kName, grad_y, x, "rstd", saved.rstd, {e.d_model});
  const ValidRows rows(kName, valid, shape_of(x));
  Tensor<T> scale = tensor::empty_tensor<T>({e.d_model});
  for (std::size_t i = 0; i < e.d_model; ++i)
    scale.data()[i] = saved.r.data()[i] * saved.rstd.data()[i];
  ColumnGradients<true, T> gradients(kName, grad_y, x, parameters, &saved.mean, saved.rstd, scale);
  gradients.parameters();  // with z in the place of x_hat
  const Tensor<T> a = scaled_mean(parameters, gradients.so_far().grad_beta, rows.count());
  const Tensor<T> c = scaled_mean(parameters, gradients.so_far().grad_gamma, rows.count());
  AffineGradients<T> result = gradients.input(&a, &c, rows.flags());
  const auto terms = [&](std::size_t row) {
    return [&, x_row = x.data() + row * e.d_model,
            grad_y_row = grad_y.data() + row * e.d_model](auto at) {
      const auto z = (at(x_row) - at(saved.mean.data())) * at(saved.rstd.data());
      return at(grad_y_row) * (z * at(saved.r.data()) + at(saved.d.data()));
    };
  };
  ops::column_sum<T>(e.rows(), e.d_model, result.grad_gamma.data(), [&](T* sum, auto... row) {
    ops::accumulate_rows(sum, e.d_model, terms(row)...);
  });
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
