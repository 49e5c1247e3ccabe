#include "gpu/norm/layer_support.hpp"

#include <fmt/format.h>

#include "gpu/ops/reduce.hpp"

namespace normproof::gpu::norm {

using ref::numeric::contract_failure;
using ref::numeric::not_finite_failure;
using ref::tensor::index_to_string;

Extents check_x(std::string_view function, const NormInputs& in) {
  return ref::tensor::check_activations(function, "x", in.x.shape());
}

AffineSpans check_affine(std::string_view function, const NormInputs& in, std::size_t d_model) {
  const auto check = [&](std::string_view name, const DeviceTensor<double>& given) {
    if (!given.is_given()) return;
    check_shape(function, name, given.shape(), {d_model}, Clause::C3);
    check_finite(function, name, given, Clause::C4);
  };
  check("gamma", in.gamma);
  check("beta", in.beta);
  return {in.gamma.span(), in.beta.span()};
}

void check_finite(std::string_view function, std::string_view argument,
                  const DeviceTensor<double>& t, Clause clause) {
  const std::size_t at = ops::find_first_not_finite(t);
  if (at == t.size()) return;
  not_finite_failure(function, argument,
                     "has the element " + index_to_string(at, t.shape()) + " = " +
                         std::to_string(device::download(t).data()[at]),
                     "finite values", clause);
}

void check_statistic(std::string_view function, std::string_view statistic,
                     const DeviceTensor<double>& values, std::string_view argument,
                     const DeviceTensor<double>& x, Clause of_statistic, Clause of_x) {
  const std::size_t at = ops::find_first_not_finite(values);
  if (at == values.size()) return;
  check_finite(function, argument, x, of_x);
  const double value = device::download(values).data()[at];
  not_finite_failure(
      function, argument,
      fmt::format("makes {} at {} = {}", statistic, index_to_string(at, values.shape()),
                  value == value ? std::to_string(value) : "nan"),
      "values so small that sums of their squares stay finite, and eps > 0 where they vanish",
      of_statistic);
}

void check_reciprocal(std::string_view function, std::string_view statistic,
                      const DeviceTensor<double>& rstd, std::string_view argument,
                      const DeviceTensor<double>& x) {
  const std::size_t at = ops::find_first_not_positive(rstd);
  if (at == rstd.size()) return;
  check_statistic(function, statistic, rstd, argument, x, Clause::C2);
  check_finite(function, argument, x, Clause::C4);
  not_finite_failure(
      function, argument,
      fmt::format("makes {} at {} vanish", statistic, index_to_string(at, rstd.shape())),
      "values so small that sums of their squares stay finite", Clause::C4);
}

void check_backward(std::string_view function, const NormInputs& in, std::string_view name,
                    const DeviceTensor<double>& saved, const Shape& shape) {
  check_shape(function, "grad_y", in.grad_y.shape(), in.x.shape(), Clause::C5);
  check_shape(function, name, saved.shape(), shape, Clause::C6);
}

void check_mask_shape(std::string_view function, const NormInputs& in) {
  if (in.valid.is_given())
    check_shape(function, "valid", in.valid.shape(), row_shape(in), Clause::C8);
}

std::size_t check_valid_rows(std::string_view function, const NormInputs& in) {
  check_mask_shape(function, in);
  if (!in.valid.is_given()) return in.x.size() / in.x.shape().back();
  if (in.valid.count() == 0)
    contract_failure(function, "valid", "has no valid row", "at least one valid row", Clause::C8);
  return in.valid.count();
}

std::size_t check_groups(std::string_view function, std::int64_t groups, std::size_t d_model) {
  if (groups < 1 || d_model % static_cast<std::size_t>(groups) != 0)
    contract_failure(function, "groups", "is " + std::to_string(groups),
                     "a divisor of D = " + std::to_string(d_model), Clause::C11);
  return static_cast<std::size_t>(groups);
}

void check_eps(std::string_view function, double eps) {
  check_option(function, "eps", eps, eps >= 0, "eps >= 0", Clause::C2);
}

void check_decay(std::string_view function, std::string_view option, double decay) {
  check_option(function, option, decay, decay >= 0 && decay <= 1, "a weight in [0, 1]", Clause::C9);
}

void check_count(std::string_view function, std::string_view option, std::int64_t count,
                 Clause clause) {
  if (count < 0)
    contract_failure(function, option, "is " + std::to_string(count), "0 or more", clause);
}

void check_running_statistic(std::string_view function, std::string_view name,
                             const DeviceTensor<double>& values, std::size_t d_model,
                             bool squared) {
  check_shape(function, name, values.shape(), {d_model}, Clause::C10);
  check_finite(function, name, values, Clause::C10);
  if (!squared) return;
  if (const std::size_t at = ops::find_first_negative(values); at < d_model)
    contract_failure(function, name, "has the element [" + std::to_string(at) + "] below 0",
                     "no negative element", Clause::C10);
}

Shape row_shape(const NormInputs& in) {
  return Shape(in.x.shape().begin(), in.x.shape().end() - 1);
}

DeviceTensor<double> reciprocal_root(const DeviceTensor<double>& square, double eps) {
  DeviceTensor<double> out(square.device(), square.shape());
  launch_elements(out.device(), out.size(), ReciprocalRoot{square.span(), eps, out.span()});
  return out;
}

DeviceTensor<double> moving_average(const DeviceTensor<double>& old_value,
                                    const DeviceTensor<double>& new_value, double decay) {
  DeviceTensor<double> out(old_value.device(), old_value.shape());
  launch_elements(out.device(), out.size(),
                  MovingAverage{old_value.span(), new_value.span(), decay, out.span()});
  return out;
}

DeviceTensor<double> divide_by_count(const DeviceTensor<double>& value, std::size_t n) {
  DeviceTensor<double> out(value.device(), value.shape());
  launch_elements(out.device(), out.size(),
                  Divide{value.span(), static_cast<double>(n), out.span()});
  return out;
}

DeviceTensor<double> scaled_mean(const AffineSpans& affine, const DeviceTensor<double>& sum,
                                 std::size_t n) {
  DeviceTensor<double> out(sum.device(), sum.shape());
  launch_elements(out.device(), out.size(),
                  ScaledMean{affine, sum.span(), static_cast<double>(n), out.span()});
  return out;
}

void store_gradients(std::string_view function, const NormInputs& in, DeviceTensor<double> grad_x,
                     DeviceTensor<double> grad_gamma, DeviceTensor<double> grad_beta,
                     NormStep& step) {
  check_statistic(function, "grad_beta", grad_beta, "grad_y", in.grad_y, Clause::C7, Clause::C7);
  check_statistic(function, "grad_gamma", grad_gamma, "grad_y", in.grad_y, Clause::C7, Clause::C7);
  step.outputs.set("grad_x", std::move(grad_x));
  step.outputs.set("grad_gamma", std::move(grad_gamma));
  step.outputs.set("grad_beta", std::move(grad_beta));
}

}  // namespace normproof::gpu::norm
