#include "ref/norm/power_norm_v.hpp"

#include "ref/norm/column_layer.hpp"

namespace normproof::ref::norm {

using model::Mode;

template <numeric::Real T>
PowerNormVForward<T> power_norm_v(const Tensor<T>& x, const Affine<T>& affine, const Mask& valid,
                                  const PowerNormVState<T>& state,
                                  const model::PowerNormVOptions& options, Mode mode) {
  constexpr auto kName = "power_norm_v";
  const Extents e = tensor::check_activations(kName, "x", shape_of(x));
  tensor::check_option(kName, "eps", options.eps, options.eps >= 0, "eps >= 0 (C2)");
  check_decay(kName, "running_decay", options.running_decay);
  check_running(kName, "running_psi2", state.running_psi2, e.d_model, true);
  const Parameters<T> parameters(kName, affine, e.d_model);

  PowerNormVForward<T> result;
  result.state = state;
  if (mode == Mode::inference) {
    tensor::check_finite(kName, "x", x);
    result.saved.rstd = reciprocal_root(state.running_psi2, options.eps);
    check_reciprocal(kName, "rstd", result.saved.rstd, "running_psi2", state.running_psi2);
  } else {
    const ValidRows rows(kName, valid, shape_of(x));
    result.saved.quadratic_mean = batch_statistics<false>(kName, x, e, rows).square;
    result.saved.rstd = reciprocal_root(result.saved.quadratic_mean, options.eps);
    check_reciprocal(kName, "rstd", result.saved.rstd, "x", x);
    result.state.running_psi2 =
        moving_average(state.running_psi2, result.saved.quadratic_mean, options.running_decay);
  }
  result.y = column_forward<false, T>(x, e, parameters, nullptr, result.saved.rstd);
  return result;
}

template <numeric::Real T>
AffineGradients<T> power_norm_v_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                         const Affine<T>& affine, const Mask& valid,
                                         const PowerNormVSaved<T>& saved, Mode mode) {
  constexpr auto kName = "power_norm_v_backward";
  const Extents e = tensor::check_activations(kName, "x", shape_of(x));
  const Parameters<T> parameters(kName, affine, e.d_model);
  ColumnGradients<false, T> gradients(kName, grad_y, x, parameters, nullptr, saved.rstd,
                                      saved.rstd);
  gradients.parameters();
  if (mode == Mode::inference) return gradients.input(nullptr, nullptr, nullptr);
  const ValidRows rows(kName, valid, shape_of(x));
  const Tensor<T> c = scaled_mean(parameters, gradients.so_far().grad_gamma, rows.count());
  return gradients.input(nullptr, &c, rows.flags());
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
