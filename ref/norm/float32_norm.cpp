#include "ref/norm/float32_norm.hpp"

#include "ref/norm/kernels.hpp"
#include "ref/norm/layer_norm_formula.hpp"
#include "ref/norm/layer_support.hpp"
#include "ref/norm/rms_norm_formula.hpp"
#include "ref/norm/row_totals.hpp"

namespace normproof::ref::norm {

namespace {

using model::Float32NormOptions;
using numeric::FloatType;
using tensor::convert;

/// Calls work(T{}), where T is the type of options.arithmetic, float or double. The formulas
/// compute with numbers of this type.
template <class Work>
auto call_with_arithmetic_type(const Float32NormOptions& options, const Work& work) {
  return options.arithmetic == FloatType::float64 ? work(double{}) : work(float{});
}

/// Returns the values, each rounded to the nearest number of the format `type`.
template <class T>
Tensor<float> rounded_to_format(const Tensor<T>& values, FloatType type) {
  const numeric::FloatFormat& format = numeric::float_format_info(type);
  Tensor<float> result = tensor::empty_tensor<float>(shape_of(values));
  for (std::size_t i = 0; i < result.size(); ++i)
    result.data()[i] = static_cast<float>(round_to(format, static_cast<double>(values.data()[i])));
  return result;
}

/// Checks the requirements that all functions in this file share. Returns the layout of the rows of
/// x.
ops::RowLayout check_and_return_leading_shape(std::string_view function, const Tensor<float>& x,
                                              const Float32NormOptions& options) {
  const Shape shape = shape_of(x);
  if (shape.size() != 2 || shape[1] == 0)
    numeric::contract_failure(function, "x", "has shape " + tensor::to_string(shape),
                              "[N, D], D at least 1", Clause::C1);
  check_eps(function, options.eps);
  model::check_formats(function, options, Clause::C12);
  return {shape[0], shape[1]};
}

void check_parameter(std::string_view function, std::string_view name, const Tensor<float>& given,
                     std::size_t d_model) {
  if (tensor::is_given(given))
    tensor::check_shape(function, name, shape_of(given), {d_model}, Clause::C3);
}
void check_affine(std::string_view function, const Affine<float>& affine, std::size_t d_model) {
  check_parameter(function, "gamma", affine.gamma, d_model);
  check_parameter(function, "beta", affine.beta, d_model);
}

/// Returns a parameter as a tensor of T, the type of options.arithmetic. If the parameter is empty,
/// each channel of the result is `constant`.
template <class T>
Tensor<T> fill_missing_parameter(const Tensor<float>& given, std::size_t d_model, double constant) {
  if (!tensor::is_given(given)) return tensor::full_tensor<T>({d_model}, T(constant));
  return convert<T>(given);
}
template <class T>
Affine<T> fill_missing_parameter(const Affine<float>& affine, std::size_t d_model,
                                 const Float32NormOptions& options) {
  const bool adds_one = options.zero_centred_gamma && tensor::is_given(affine.gamma);
  return {effective_gamma(fill_missing_parameter<T>(affine.gamma, d_model, 1), adds_one),
          fill_missing_parameter<T>(affine.beta, d_model, 0)};
}

template <class T>
Float32NormForward run_forward(const ops::RowLayout& layout, const Tensor<T>& x,
                               const Affine<T>& affine, const Float32NormOptions& options) {
  Tensor<T> y = tensor::empty_tensor<T>(shape_of(x));
  Tensor<T> rstd = tensor::empty_tensor<T>({layout.count});
  const auto eps = static_cast<T>(options.eps);
  Float32NormForward result;
  if (options.centred) {
    Tensor<T> mean = tensor::empty_tensor<T>({layout.count});
    run_on_rows(LayerNormRows<T>{.layout = layout,
                                 .x = x.data(),
                                 .gamma = affine.gamma.data(),
                                 .beta = affine.beta.data(),
                                 .eps = eps,
                                 .y = y.data(),
                                 .mean = mean.data(),
                                 .rstd = rstd.data()});
    result.mean = convert<double>(mean);
  } else {
    run_on_rows(RMSNormRows<T>{.layout = layout,
                               .x = x.data(),
                               .gamma = affine.gamma.data(),
                               .beta = affine.beta.data(),
                               .eps = eps,
                               .y = y.data(),
                               .rstd = rstd.data()});
  }
  result.y = rounded_to_format(y, options.storage);
  result.rstd = convert<double>(rstd);
  return result;
}

/// Computes grad_x, and accumulates the sums that become grad_gamma and grad_beta in `totals`.
template <class T>
void run_backward(const ops::RowLayout& layout, const Tensor<T>& grad_y, const Tensor<T>& x,
                  const Tensor<T>& gamma, const Float32NormForward& saved, bool centred,
                  Tensor<T>& grad_x, RowTotals<T>& totals) {
  const Tensor<T> rstd = convert<T>(saved.rstd);
  if (!centred)
    return run_on_lanes(RMSNormBackwardRows<T>{.layout = layout,
                                               .grad_y = grad_y.data(),
                                               .x = x.data(),
                                               .gamma = gamma.data(),
                                               .rstd = rstd.data(),
                                               .grad_x = grad_x.data(),
                                               .totals = totals.lanes()});
  const Tensor<T> mean = convert<T>(saved.mean);
  run_on_lanes(LayerNormBackwardRows<T>{.layout = layout,
                                        .grad_y = grad_y.data(),
                                        .x = x.data(),
                                        .gamma = gamma.data(),
                                        .mean = mean.data(),
                                        .rstd = rstd.data(),
                                        .grad_x = grad_x.data(),
                                        .totals = totals.lanes()});
}

}  // namespace

Float32NormForward float32_norm(const Tensor<float>& x, const Affine<float>& affine,
                                const Float32NormOptions& options) {
  constexpr auto kName = "float32_norm";
  const ops::RowLayout layout = check_and_return_leading_shape(kName, x, options);
  check_affine(kName, affine, layout.width);
  return call_with_arithmetic_type(options, [&]<class T>(T) {
    return run_forward(layout, convert<T>(x),
                       fill_missing_parameter<T>(affine, layout.width, options), options);
  });
}

AffineGradients<float> float32_norm_backward(const Tensor<float>& grad_y, const Tensor<float>& x,
                                             const Affine<float>& affine,
                                             const Float32NormForward& saved,
                                             const Float32NormOptions& options,
                                             const Tensor<float>& grad_sum) {
  constexpr auto kName = "float32_norm_backward";
  const ops::RowLayout layout = check_and_return_leading_shape(kName, x, options);
  check_affine(kName, affine, layout.width);
  tensor::check_shape(kName, "grad_y", shape_of(grad_y), shape_of(x), Clause::C5);
  tensor::check_shape(kName, "rstd", shape_of(saved.rstd), {layout.count}, Clause::C6);
  if (options.centred)
    tensor::check_shape(kName, "mean", shape_of(saved.mean), {layout.count}, Clause::C6);
  if (tensor::is_given(grad_sum))
    tensor::check_shape(kName, "grad_sum", shape_of(grad_sum), shape_of(x), Clause::C13);

  AffineGradients<float> result;
  if (layout.count == 0) {
    result.grad_x = tensor::empty_tensor<float>(shape_of(x));
    result.grad_gamma = result.grad_beta = tensor::full_tensor<float>({layout.width}, 0);
    return result;
  }
  call_with_arithmetic_type(options, [&]<class T>(T) {
    Tensor<T> grad_x = tensor::empty_tensor<T>(shape_of(x));
    RowTotals<T> totals(layout, 2, model::kRowsPerRun);
    run_backward(layout, convert<T>(grad_y), convert<T>(x),
                 fill_missing_parameter<T>(affine, layout.width, options).gamma, saved,
                 options.centred, grad_x, totals);
    totals.finish();
    for (std::size_t i = 0; tensor::is_given(grad_sum) && i < grad_x.size(); ++i)
      grad_x.data()[i] = grad_x.data()[i] + T(grad_sum.data()[i]);
    result = {rounded_to_format(grad_x, options.storage),
              rounded_to_format(totals[0], options.parameters),
              rounded_to_format(totals[1], options.parameters)};
  });
  return result;
}

Float32AddNormForward float32_add_norm(const Tensor<float>& x, const Tensor<float>& residual,
                                       const Affine<float>& affine,
                                       const Float32NormOptions& options) {
  constexpr auto kName = "float32_add_norm";
  const ops::RowLayout layout = check_and_return_leading_shape(kName, x, options);
  check_affine(kName, affine, layout.width);
  tensor::check_shape(kName, "residual", shape_of(residual), shape_of(x), Clause::C14);
  return call_with_arithmetic_type(options, [&]<class T>(T) {
    Tensor<T> whole = convert<T>(x);
    for (std::size_t i = 0; i < whole.size(); ++i)
      whole.data()[i] = whole.data()[i] + T(residual.data()[i]);
    Float32AddNormForward result{rounded_to_format(whole, options.storage), {}};
    result.norm = run_forward(layout, convert<T>(result.sum),
                              fill_missing_parameter<T>(affine, layout.width, options), options);
    return result;
  });
}

}  // namespace normproof::ref::norm
