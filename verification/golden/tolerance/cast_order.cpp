#include "verification/golden/tolerance/cast_order.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ref/model/operation.hpp"
#include "verification/golden/corpus/kind.hpp"

namespace normproof::verification::golden::tolerance {

using checks::evaluation::EvalInputs;
using corpus::has_operation;
using corpus::is_function;
using corpus::is_layer;
using ref::tensor::NamedTensors;
using ref::tensor::Tensor;

namespace {

/// A norm of rows: what it normalizes, and the tensors that its affine map reads.
struct NormOfRows {
  const Tensor<double>* x;
  const Tensor<double>* grad_y;  ///< null if the case has no gradient
  const Tensor<double>* gamma;
  bool is_centered;
  double eps = 0;
  bool adds_one_to_gamma = false;
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
  if (!norm || norm->gamma == nullptr) return std::nullopt;
  norm->eps = std::stod(option_value(c, "eps"));
  norm->adds_one_to_gamma = option_value(c, "zero_centred_gamma") == "true";
  return norm;
}

// The allowances are computed in double, with relative errors far below this slack.
constexpr double kAllowanceSlack = 1 + 0x1p-20;

/// Adds the allowances of grad_x and grad_gamma for one row.
void allow_row(const NormOfRows& norm, std::size_t row, double u, Tensor<double>* grad_x,
               Tensor<double>* grad_gamma) {
  const std::size_t width = norm.gamma->size();
  const double* const x = norm.x->data() + row * width;
  const double* const grad_y = norm.grad_y->data() + row * width;
  const double n = static_cast<double>(width);
  double mean = 0, square = 0;
  if (norm.is_centered)
    for (std::size_t d = 0; d < width; ++d) mean += x[d] / n;
  for (std::size_t d = 0; d < width; ++d) square += (x[d] - mean) * (x[d] - mean) / n;
  const double r = 1 / std::sqrt(square + norm.eps);
  const auto x_hat = [&](std::size_t d) { return (x[d] - mean) * r; };
  const auto g = [&](std::size_t d) {
    return std::fabs(grad_y[d] * (norm.gamma->data()[d] + (norm.adds_one_to_gamma ? 1 : 0)));
  };
  double mean_g = 0, mean_product = 0;
  for (std::size_t d = 0; d < width; ++d) {
    if (norm.is_centered) mean_g += g(d) / n;
    mean_product += g(d) * std::fabs(x_hat(d)) / n;
  }
  for (std::size_t d = 0; d < width; ++d) {
    if (grad_x != nullptr)
      grad_x->data()[row * width + d] +=
          kAllowanceSlack * u * (1 + u) * r * (g(d) + mean_g + std::fabs(x_hat(d)) * mean_product);
    if (grad_gamma != nullptr)
      grad_gamma->data()[d] += kAllowanceSlack * u * (2 + u) * std::fabs(grad_y[d] * x_hat(d));
  }
}

Tensor<double>* find_bound(NamedTensors<double>& bound, const char* name) {
  return bound.contains(name) ? &bound.at(name) : nullptr;
}

}  // namespace

double allowance_of_cast_x_hat(const Case& c, Accumulation accumulation) {
  const bool has_norm = has_operation<ref::model::LayerNormOptions>(c) ||
                        has_operation<ref::model::RMSNormOptions>(c) ||
                        has_operation<ref::model::AddLayerNormOptions>(c) ||
                        has_operation<ref::model::AddRMSNormOptions>(c);
  if (!has_norm || !corpus::rounds_when_stored(c.dtype, accumulation)) return 0;
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
  for (std::size_t row = 0; row < norm->x->size() / norm->gamma->size(); ++row)
    allow_row(*norm, row, u, find_bound(bound, "grad_x"), find_bound(bound, "grad_gamma"));
}

}  // namespace normproof::verification::golden::tolerance
