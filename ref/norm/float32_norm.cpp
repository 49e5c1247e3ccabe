#include "ref/norm/float32_norm.hpp"

#include "ref/norm/kernels.hpp"
#include "ref/norm/layer_norm_formula.hpp"
#include "ref/norm/layer_support.hpp"
#include "ref/norm/rms_norm_formula.hpp"
#include "ref/norm/row_totals.hpp"

namespace normproof::ref::norm {

namespace {

using model::Float32NormOptions;

void round_all(Tensor<float>& values, numeric::FloatType type) {
  const numeric::FloatFormat& format = numeric::format_of(type);
  for (float& v : values) v = static_cast<float>(round_to(format, static_cast<double>(v)));
}

void check_format(std::string_view function, std::string_view option, numeric::FloatType type) {
  if (!model::is_stored_by_float32_norm(type))
    numeric::contract_failure(function, option, std::string("is ") + numeric::format_of(type).name,
                              "float32, bfloat16 or float16", Clause::C12);
}

/// Checks    what both directions require
/// Computes  x as rows
ops::RowLayout checked_rows(std::string_view function, const Tensor<float>& x,
                            const Float32NormOptions& options) {
  const Shape shape = shape_of(x);
  if (shape.size() != 2 || shape[1] == 0)
    numeric::contract_failure(function, "x", "has shape " + tensor::to_string(shape),
                              "[N, D], D at least 1", Clause::C1);
  check_eps(function, options.eps);
  check_format(function, "storage", options.storage);
  check_format(function, "parameters", options.parameters);
  return {shape[0], shape[1]};
}

/// A parameter, or its constant where it is empty.
Tensor<float> written_out(std::string_view function, std::string_view name,
                          const Tensor<float>& given, std::size_t d_model, float constant) {
  if (!tensor::is_given(given)) return tensor::full_tensor<float>({d_model}, constant);
  tensor::check_shape(function, name, shape_of(given), {d_model}, Clause::C3);
  return given;
}

Affine<float> written_out(std::string_view function, const Affine<float>& affine,
                          std::size_t d_model, const Float32NormOptions& options) {
  return {written_out(function, "gamma", scale_of(affine.gamma, options.zero_centred_gamma),
                      d_model, 1),
          written_out(function, "beta", affine.beta, d_model, 0)};
}

}  // namespace

Float32NormForward float32_norm(const Tensor<float>& x, const Affine<float>& affine,
                                const Float32NormOptions& options) {
  constexpr auto kName = "float32_norm";
  const ops::RowLayout layout = checked_rows(kName, x, options);
  const Affine<float> own = written_out(kName, affine, layout.width, options);
  Float32NormForward result;
  result.y = tensor::empty_tensor<float>(shape_of(x));
  result.rstd = tensor::empty_tensor<float>({layout.count});
  const auto eps = static_cast<float>(options.eps);
  if (options.centred) {
    result.mean = tensor::empty_tensor<float>({layout.count});
    run_on_rows(LayerNormRows<float>{.layout = layout,
                                     .x = x.data(),
                                     .gamma = own.gamma.data(),
                                     .beta = own.beta.data(),
                                     .eps = eps,
                                     .y = result.y.data(),
                                     .mean = result.mean.data(),
                                     .rstd = result.rstd.data()});
  } else {
    run_on_rows(RMSNormRows<float>{.layout = layout,
                                   .x = x.data(),
                                   .gamma = own.gamma.data(),
                                   .beta = own.beta.data(),
                                   .eps = eps,
                                   .y = result.y.data(),
                                   .rstd = result.rstd.data()});
  }
  round_all(result.y, options.storage);
  return result;
}

AffineGradients<float> float32_norm_backward(const Tensor<float>& grad_y, const Tensor<float>& x,
                                             const Affine<float>& affine,
                                             const Float32NormForward& saved,
                                             const Float32NormOptions& options) {
  constexpr auto kName = "float32_norm_backward";
  const ops::RowLayout layout = checked_rows(kName, x, options);
  const Affine<float> own = written_out(kName, affine, layout.width, options);
  tensor::check_shape(kName, "grad_y", shape_of(grad_y), shape_of(x), Clause::C5);
  tensor::check_shape(kName, "rstd", shape_of(saved.rstd), {layout.count}, Clause::C6);
  if (options.centred)
    tensor::check_shape(kName, "mean", shape_of(saved.mean), {layout.count}, Clause::C6);

  AffineGradients<float> result;
  result.grad_x = tensor::empty_tensor<float>(shape_of(x));
  if (layout.count == 0) {
    result.grad_gamma = result.grad_beta = tensor::full_tensor<float>({layout.width}, 0);
    return result;
  }
  RowTotals<float> totals(layout, 2);
  if (options.centred)
    run_on_lanes(LayerNormBackwardRows<float>{.layout = layout,
                                              .grad_y = grad_y.data(),
                                              .x = x.data(),
                                              .gamma = own.gamma.data(),
                                              .mean = saved.mean.data(),
                                              .rstd = saved.rstd.data(),
                                              .grad_x = result.grad_x.data(),
                                              .totals = totals.lanes()});
  else
    run_on_lanes(RMSNormBackwardRows<float>{.layout = layout,
                                            .grad_y = grad_y.data(),
                                            .x = x.data(),
                                            .gamma = own.gamma.data(),
                                            .rstd = saved.rstd.data(),
                                            .grad_x = result.grad_x.data(),
                                            .totals = totals.lanes()});
  totals.finish();
  result.grad_gamma = totals[0];
  result.grad_beta = totals[1];
  round_all(result.grad_x, options.storage);
  round_all(result.grad_gamma, options.parameters);
  round_all(result.grad_beta, options.parameters);
  return result;
}

}  // namespace normproof::ref::norm
