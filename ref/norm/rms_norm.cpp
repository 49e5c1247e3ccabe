#include "ref/norm/rms_norm.hpp"

#include "ref/model/norm_layers.hpp"
#include "ref/norm/kernels.hpp"
#include "ref/norm/layer_support.hpp"
#include "ref/norm/rms_norm_formula.hpp"
#include "ref/norm/row_totals.hpp"

namespace normproof::ref::norm {

template <numeric::Real T>
RMSNormForward<T> rms_norm(const Tensor<T>& x, const Affine<T>& affine,
                           const model::RMSNormOptions& options) {
  constexpr auto kName = "rms_norm";
  const Extents e = tensor::check_activations(kName, "x", shape_of(x));
  const Parameters<T> parameters(kName, affine, e.d_model);
  const bool casts = options.storage != model::StorageFormat::float64;
  if (casts && !std::is_same_v<T, double>)
    numeric::contract_failure(kName, "storage", "is not float64",
                              "float64 for every scalar but double", Clause::C12);
  check_eps(kName, options.eps);
  model::check_plain_gamma(options);

  RMSNormForward<T> result;
  result.y = tensor::empty_tensor<T>(shape_of(x));
  result.saved.rstd = tensor::empty_tensor<T>(row_shape(shape_of(x)));
  run_on_rows(RMSNormRows<T>{.layout = row_layout(e),
                             .x = x.data(),
                             .gamma = casts ? nullptr : parameters.gamma(),
                             .beta = parameters.beta(),
                             .eps = T(options.eps),
                             .y = result.y.data(),
                             .rstd = result.saved.rstd.data()});
  check_reciprocal(kName, "rstd", result.saved.rstd, "x", x);
  if constexpr (std::is_same_v<T, double>) {
    if (casts) {
      const numeric::FloatFormat& format = numeric::float_format_info(options.storage);
      const bool after = options.cast_order == model::CastOrder::after_gamma;
      for (std::size_t i = 0; i < x.size(); ++i) {
        double& y = result.y.data()[i];
        const double gamma = parameters.gamma()[i % e.d_model];
        const double beta = parameters.beta()[i % e.d_model];
        y = (after ? round_to(format, gamma * y) : gamma * round_to(format, y)) + beta;
      }
    }
  }
  return result;
}

template <numeric::Real T>
AffineGradients<T> rms_norm_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                     const Affine<T>& affine, const RMSNormSaved<T>& saved) {
  constexpr auto kName = "rms_norm_backward";
  const Extents e = tensor::check_activations(kName, "x", shape_of(x));
  const Parameters<T> parameters(kName, affine, e.d_model);
  check_backward(kName, grad_y, x, "rstd", saved.rstd, row_shape(shape_of(x)));

  AffineGradients<T> result;
  result.grad_x = tensor::empty_tensor<T>(shape_of(x));
  RowTotals<T> totals(row_layout(e), 2);
  run_on_lanes(RMSNormBackwardRows<T>{.layout = row_layout(e),
                                      .grad_y = grad_y.data(),
                                      .x = x.data(),
                                      .gamma = parameters.gamma(),
                                      .rstd = saved.rstd.data(),
                                      .grad_x = result.grad_x.data(),
                                      .totals = totals.lanes()});
  totals.finish();
  result.grad_gamma = totals[0];
  result.grad_beta = totals[1];
  check_gradients(kName, result, grad_y);
  return result;
}

#define NORMPROOF_INSTANTIATE(T)                                                    \
  template RMSNormForward<T> rms_norm(const Tensor<T>&, const Affine<T>&,           \
                                      const model::RMSNormOptions&);                \
  template AffineGradients<T> rms_norm_backward(const Tensor<T>&, const Tensor<T>&, \
                                                const Affine<T>&, const RMSNormSaved<T>&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::norm
