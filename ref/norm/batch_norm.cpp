#include "ref/norm/batch_norm.hpp"

#include "ref/model/norm_layers.hpp"
#include "ref/norm/batch_norm_formula.hpp"
#include "ref/norm/kernels.hpp"
#include "ref/norm/layer_support.hpp"

namespace normproof::ref::norm {
namespace {

using model::Mode;

template <class T>
Tensor<T> unbiased_variance(const Tensor<T>& biased_variance, std::size_t count) {
  Tensor<T> result = tensor::empty_tensor<T>(shape_of(biased_variance));
  const T n(static_cast<double>(count));
  for (std::size_t i = 0; i < result.size(); ++i)
    result.data()[i] = biased_variance.data()[i] * n / (n - T(1));
  return result;
}

}  // namespace

template <numeric::Real T>
BatchNormForward<T> batch_norm(const Tensor<T>& x, const Affine<T>& affine, const Mask& valid,
                               const BatchNormState<T>& state,
                               const model::BatchNormOptions& options, Mode mode) {
  constexpr auto kName = "batch_norm";
  const Extents e = tensor::check_activations(kName, "x", shape_of(x));
  check_eps(kName, options.eps);
  model::check_row_layout(options);
  check_decay(kName, "running_decay", options.running_decay);
  check_running_statistic(kName, "running_mean", state.running_mean, e.d_model, false);
  check_running_statistic(kName, "running_variance", state.running_variance, e.d_model, true);
  const Parameters<T> parameters(kName, affine, e.d_model);

  BatchNormForward<T> result;
  result.state = state;
  if (mode == Mode::inference) {
    tensor::check_finite(kName, "x", x, Clause::C4);
    result.saved.mean = state.running_mean;
    result.saved.rstd = reciprocal_root(state.running_variance, options.eps);
    check_reciprocal(kName, "rstd", result.saved.rstd, "running_variance", state.running_variance);
  } else {
    const ValidRows rows(kName, valid, shape_of(x));
    const bool unbiased_running = options.unbiased_running_variance;
    if (unbiased_running && rows.count() < 2) {
      const bool masked = tensor::is_given(valid);
      numeric::contract_failure(kName, masked ? "valid" : "x",
                                masked ? "has 1 valid row" : "has 1 row",
                                "at least 2 with unbiased_running_variance", Clause::C8);
    }
    result.saved.mean = tensor::empty_tensor<T>({e.d_model});
    result.saved.biased_variance = tensor::empty_tensor<T>({e.d_model});
    run_on_channels(BatchNormStatistics<T>{.layout = row_layout(e),
                                           .valid = rows.list(),
                                           .x = x.data(),
                                           .mean = result.saved.mean.data(),
                                           .biased_variance = result.saved.biased_variance.data()});
    for (std::size_t d = 0; d < e.d_model; ++d)
      numeric::tighten_variance(result.saved.biased_variance.data()[d], result.saved.mean.data()[d],
                                rows.count(), [&](std::size_t i) {
                                  const std::size_t row =
                                      rows.rows() == nullptr ? i : rows.rows()[i];
                                  return x.data()[row * e.d_model + d];
                                });
    check_statistic(kName, "mean", result.saved.mean, "x", x);
    check_statistic(kName, "biased_variance", result.saved.biased_variance, "x", x);
    check_padding(kName, x, rows);
    result.saved.rstd = reciprocal_root(result.saved.biased_variance, options.eps);
    check_reciprocal(kName, "rstd", result.saved.rstd, "x", x);
    result.state.running_mean =
        moving_average(state.running_mean, result.saved.mean, options.running_decay);
    result.state.running_variance = moving_average(
        state.running_variance,
        unbiased_running ? unbiased_variance(result.saved.biased_variance, rows.count())
                         : result.saved.biased_variance,
        options.running_decay);
  }
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

template <numeric::Real T>
AffineGradients<T> batch_norm_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                       const Affine<T>& affine, const Mask& valid,
                                       const BatchNormSaved<T>& saved, Mode mode) {
  constexpr auto kName = "batch_norm_backward";
  const Extents e = tensor::check_activations(kName, "x", shape_of(x));
  const Parameters<T> parameters(kName, affine, e.d_model);
  check_backward(kName, grad_y, x, "mean", saved.mean, {e.d_model});
  check_backward(kName, grad_y, x, "rstd", saved.rstd, {e.d_model});

  AffineGradients<T> result = empty_gradients<T>(shape_of(x));
  const BatchNormBackward<T> in{.layout = row_layout(e),
                                .grad_y = grad_y.data(),
                                .x = x.data(),
                                .gamma = parameters.gamma(),
                                .mean = saved.mean.data(),
                                .rstd = saved.rstd.data()};
  run_on_channels(
      BatchNormParameterGradients<T>{in, result.grad_gamma.data(), result.grad_beta.data()});
  check_gradients(kName, result, grad_y);

  Tensor<T> a, c;
  const bool* valid_rows = nullptr;
  const bool training = mode == Mode::training;
  if (training) {
    const ValidRows rows(kName, valid, shape_of(x));
    a = scaled_mean(parameters, result.grad_beta, rows.count());
    c = scaled_mean(parameters, result.grad_gamma, rows.count());
    valid_rows = rows.flags();
  }
  run_on_rows(BatchNormBackwardRows<T>{in, valid_rows, a.data(), training ? c.data() : nullptr,
                                       saved.rstd.data(), result.grad_x.data()});
  return result;
}

#define NORMPROOF_INSTANTIATE(T)                                                           \
  template BatchNormForward<T> batch_norm(const Tensor<T>&, const Affine<T>&, const Mask&, \
                                          const BatchNormState<T>&,                        \
                                          const model::BatchNormOptions&, model::Mode);    \
  template AffineGradients<T> batch_norm_backward(const Tensor<T>&, const Tensor<T>&,      \
                                                  const Affine<T>&, const Mask&,           \
                                                  const BatchNormSaved<T>&, model::Mode);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::norm
