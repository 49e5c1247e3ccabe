#include "verification/golden/tolerance/cast_order.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ref/model/operation.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/golden/corpus/kind.hpp"

namespace normproof::verification::golden::tolerance {

using checks::evaluation::EvalInputs;
using corpus::has_operation;
using corpus::is_function;
using corpus::is_layer;
using ref::tensor::NamedTensors;
using ref::tensor::Tensor;

namespace {

constexpr std::pair<const char*, CastOrder> kCastOrders[] = {
    {"after_gamma", CastOrder::after_gamma},
    {"before_gamma", CastOrder::before_gamma},
    {"stored_statistics", CastOrder::stored_statistics}};

/// A norm of rows: what it normalizes, and the tensors that its affine map reads.
struct NormOfRows {
  const Tensor<double>* x;
  const Tensor<double>* grad_y;  ///< null if the case has no gradient
  const Tensor<double>* gamma;   ///< null if the case has none, which is then 1
  bool is_centered;
  double eps = 0;
  bool adds_one_to_gamma = false;

  std::size_t width() const { return x->shape().back(); }
  double scale(std::size_t d) const {
    return gamma == nullptr ? 1 : gamma->data()[d] + (adds_one_to_gamma ? 1 : 0);
  }
};

const Tensor<double>* given(const Tensor<double>& tensor) {
  return ref::tensor::is_given(tensor) ? &tensor : nullptr;
}

std::string option_value(const Case& c, std::string_view name) {
  for (const auto& [option, value] : ref::model::list_options(c.options))
    if (option == name) return value;
  return {};
}

/// Returns the norm of rows that the operation computes, or nothing if it computes none.
std::optional<NormOfRows> find_norm_of_rows(const Case& c, const EvalInputs& inputs,
                                            const NamedTensors<double>& values) {
  std::optional<NormOfRows> norm;
  if (is_layer(c) && !inputs.steps.empty()) {
    const auto& step = inputs.steps.front();
    const bool centered = has_operation<ref::model::LayerNormOptions>(c);
    if (!centered && !has_operation<ref::model::RMSNormOptions>(c)) return std::nullopt;
    norm = NormOfRows{&step.x, given(step.grad_y), given(step.gamma), centered};
  } else if (is_function(c)) {
    const bool centered = has_operation<ref::model::AddLayerNormOptions>(c);
    if (!centered && !has_operation<ref::model::AddRMSNormOptions>(c)) return std::nullopt;
    const auto& tensors = inputs.function.tensors;
    norm = NormOfRows{&values.at("sum"), tensors.find("grad_y"), tensors.find("gamma"), centered};
  }
  if (!norm) return std::nullopt;
  norm->eps = std::stod(option_value(c, "eps"));
  norm->adds_one_to_gamma = option_value(c, "zero_centred_gamma") == "true";
  return norm;
}

// The allowances are computed in double, with relative errors far below this slack.
constexpr double kAllowanceSlack = 1 + 0x1p-20;

/// The statistics of a row, and the means of its gradients.
struct Row {
  const double *x, *grad_y;
  double mean = 0, r = 0;
  double mean_g = 0;        ///< the mean of |g|; 0 if the norm subtracts no mean
  double mean_product = 0;  ///< the mean of |g x_hat|

  double x_hat(std::size_t d) const { return (x[d] - mean) * r; }
  double g(const NormOfRows& norm, std::size_t d) const {
    return grad_y == nullptr ? 0 : std::fabs(grad_y[d] * norm.scale(d));
  }
};

Row read_row(const NormOfRows& norm, std::size_t row) {
  const std::size_t width = norm.width();
  const double n = static_cast<double>(width);
  Row of{.x = norm.x->data() + row * width,
         .grad_y = norm.grad_y == nullptr ? nullptr : norm.grad_y->data() + row * width};
  double square = 0;
  if (norm.is_centered)
    for (std::size_t d = 0; d < width; ++d) of.mean += of.x[d] / n;
  for (std::size_t d = 0; d < width; ++d) square += (of.x[d] - of.mean) * (of.x[d] - of.mean) / n;
  of.r = 1 / std::sqrt(square + norm.eps);
  for (std::size_t d = 0; d < width; ++d) {
    if (norm.is_centered) of.mean_g += of.g(norm, d) / n;
    of.mean_product += of.g(norm, d) * std::fabs(of.x_hat(d)) / n;
  }
  return of;
}

/// Adds the allowances of grad_x and grad_gamma for one row.
void allow_row(const NormOfRows& norm, std::size_t row, double u, Tensor<double>* grad_x,
               Tensor<double>* grad_gamma) {
  const std::size_t width = norm.width();
  const Row of = read_row(norm, row);
  for (std::size_t d = 0; d < width; ++d) {
    if (grad_x != nullptr)
      grad_x->data()[row * width + d] +=
          kAllowanceSlack * u * (1 + u) * of.r *
          (of.g(norm, d) + of.mean_g + std::fabs(of.x_hat(d)) * of.mean_product);
    if (grad_gamma != nullptr)
      grad_gamma->data()[d] +=
          kAllowanceSlack * u * (2 + u) * std::fabs(of.grad_y[d] * of.x_hat(d));
  }
}

/// Adds the allowances of y, grad_x and grad_gamma for a row whose statistics are stored.
void allow_statistics_of_row(const NormOfRows& norm, std::size_t row, double u, Tensor<double>* y,
                             Tensor<double>* grad_x, Tensor<double>* grad_gamma) {
  const std::size_t width = norm.width();
  const Row of = read_row(norm, row);
  const auto error = [&](std::size_t d) {
    return kAllowanceSlack * u * (1 + u) * (of.r * std::fabs(of.mean) + std::fabs(of.x_hat(d)));
  };
  double mean_error = 0;
  for (std::size_t d = 0; d < width; ++d)
    mean_error += of.g(norm, d) * error(d) / static_cast<double>(width);
  for (std::size_t d = 0; d < width; ++d) {
    const std::size_t i = row * width + d;
    const double e = error(d), x_hat = std::fabs(of.x_hat(d));
    if (y != nullptr) y->data()[i] += std::fabs(norm.scale(d)) * e;
    if (of.grad_y == nullptr) continue;
    if (grad_gamma != nullptr) grad_gamma->data()[d] += std::fabs(of.grad_y[d]) * e;
    if (grad_x != nullptr)
      grad_x->data()[i] += kAllowanceSlack * of.r *
                           (u * (of.g(norm, d) + of.mean_g + x_hat * of.mean_product) +
                            (1 + u) * (e * of.mean_product + (x_hat + e) * mean_error));
  }
}

Tensor<double>* find_bound(NamedTensors<double>& bound, const char* name) {
  return bound.contains(name) ? &bound.at(name) : nullptr;
}

}  // namespace

const char* to_string(CastOrder order) {
  return std::ranges::find(kCastOrders, order, &std::pair<const char*, CastOrder>::second)->first;
}

CastOrder parse_cast_order(const std::string& name) {
  for (const auto& [known, order] : kCastOrders)
    if (name == known) return order;
  std::vector<std::string> names;
  names.reserve(std::size(kCastOrders));
  for (const auto& entry : kCastOrders) names.emplace_back(entry.first);
  throw ref::numeric::UsageError(ref::numeric::unknown_name("cast order", name, names));
}

bool is_norm_of_rows(const Case& c) {
  return has_operation<ref::model::LayerNormOptions>(c) ||
         has_operation<ref::model::RMSNormOptions>(c) ||
         has_operation<ref::model::AddLayerNormOptions>(c) ||
         has_operation<ref::model::AddRMSNormOptions>(c);
}

double allowance_of_cast_x_hat(const Case& c, Accumulation accumulation) {
  if (!is_norm_of_rows(c) || !corpus::rounds_when_stored(c.dtype, accumulation)) return 0;
  if (corpus::find(c.inputs, "gamma") == nullptr) return 0;
  const double u = corpus::unit_roundoff(c.dtype);
  return kAllowanceSlack * u * (2 + u);
}

void allow_cast_before_gamma(const Case& c, const EvalInputs& inputs,
                             const NamedTensors<double>& values, Accumulation accumulation,
                             NamedTensors<double>& bound) {
  if (!corpus::rounds_when_stored(c.dtype, accumulation)) return;
  const double u = corpus::unit_roundoff(c.dtype);
  const Tensor<double>* beta = nullptr;
  bool has_gamma = false;
  if (is_layer(c) && !inputs.steps.empty()) {
    beta = given(inputs.steps.front().beta);
    has_gamma = given(inputs.steps.front().gamma) != nullptr;
  } else if (is_function(c)) {
    beta = inputs.function.tensors.find("beta");
    has_gamma = inputs.function.tensors.contains("gamma");
  }
  Tensor<double>* const y = find_bound(bound, "y");
  if (!has_gamma || y == nullptr) return;
  for (std::size_t i = 0; i < y->size(); ++i) {
    const double shift = beta == nullptr ? 0 : std::fabs(beta->data()[i % beta->size()]);
    y->data()[i] += u * (2 + u) * (std::fabs(values.at("y").data()[i]) + shift + y->data()[i]);
  }
  const std::optional<NormOfRows> norm = find_norm_of_rows(c, inputs, values);
  if (!norm || norm->grad_y == nullptr) return;
  for (std::size_t row = 0; row < norm->x->size() / norm->width(); ++row)
    allow_row(*norm, row, u, find_bound(bound, "grad_x"), find_bound(bound, "grad_gamma"));
}

void allow_stored_statistics(const Case& c, const EvalInputs& inputs,
                             const NamedTensors<double>& values, Accumulation accumulation,
                             NamedTensors<double>& bound) {
  if (!corpus::rounds_when_stored(c.dtype, accumulation)) return;
  const std::optional<NormOfRows> norm = find_norm_of_rows(c, inputs, values);
  if (!norm) return;
  for (std::size_t row = 0; row < norm->x->size() / norm->width(); ++row)
    allow_statistics_of_row(*norm, row, corpus::unit_roundoff(c.dtype), find_bound(bound, "y"),
                            find_bound(bound, "grad_x"), find_bound(bound, "grad_gamma"));
}

}  // namespace normproof::verification::golden::tolerance
