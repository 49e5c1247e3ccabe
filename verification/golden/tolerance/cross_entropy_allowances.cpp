#include "verification/golden/tolerance/cross_entropy_allowances.hpp"

#include <cmath>
#include <vector>

#include "ref/nn/score_cap.hpp"
#include "ref/numeric/elementary_array.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/ops/softmax.hpp"
#include "verification/golden/certify/certificate.hpp"
#include "verification/golden/certify/not_finite.hpp"
#include "verification/golden/corpus/kind.hpp"
#include "verification/golden/recipes/case_inputs.hpp"
#include "verification/golden/tolerance/units.hpp"

namespace normproof::verification::golden::tolerance {

using corpus::accumulation_arithmetic;
using ref::tensor::NamedTensors;
using ref::tensor::Tensor;

namespace {

/// The operations on stored numbers between the log-probabilities and the loss, and in the backward
/// pass: the products with the class weight, with the part of the target and with the gradient of
/// the loss, the sum of weights, the quotient by it, and the sum of the parts.
constexpr double kStoredOperations = 6;

/// Adds the error of log-probabilities that are computed as x - log_sum_exp. They and the results
/// of kStoredOperations operations are then stored in `format`.
void allow_log_probabilities(const Case& c, const checks::evaluation::FunctionInputs& inputs,
                             Accumulation accumulation, const ref::numeric::Arithmetic& format,
                             NamedTensors<double>& bound) {
  const auto& options =
      std::get<ref::model::CrossEntropyOptions>(std::get<ref::model::FunctionOptions>(c.options));
  const double s = options.loss.label_smoothing;
  const double u = accumulation_arithmetic(accumulation).unit_roundoff;
  Tensor<double> x = inputs.tensors.at("logits");
  const Tensor<double> tanh =
      options.soft_cap ? ref::nn::cap_scores(x, *options.soft_cap) : Tensor<double>();
  // tanh x may be computed as 2/(1 + exp(-2x)) - 1, whose error is relative to 1.
  const double error_of_tanh = options.soft_cap ? 2 * kPublishedSigmoidError * u : 0;
  const double error_of_logit = error_of_tanh * options.soft_cap.value_or(0);
  const std::size_t rows = x.shape(0), classes = x.shape(1);
  const Tensor<double>* const given = inputs.tensors.find("class_weights");
  const auto weight = [&](std::size_t k) { return given == nullptr ? 1 : given->data()[k]; };
  const Tensor<double> sum_exp = ref::ops::log_sum_exp(x);
  // (1 + u)^6 - 1 is at most exp(6 u) - 1.
  const double rounded = std::expm1(kStoredOperations * format.unit_roundoff);
  const double share = s / static_cast<double>(classes);
  double total = 0, sum_of_weights = 0;
  std::size_t count = 0;
  std::vector<double> moved(rows, 0), moved_by_z(rows, 0);
  std::vector<double> moved_gradient(x.size(), 0), gradient_by_z(x.size(), 0);
  for (std::size_t k = 0; k < classes; ++k) sum_of_weights += weight(k);
  for (std::size_t i = 0; i < rows; ++i) {
    if (ref::tensor::is_given(inputs.valid) && !inputs.valid.data()[i]) continue;
    const auto target = static_cast<std::size_t>(inputs.targets[i]);
    const double hard = (1 - s) * weight(target), all = hard + share * sum_of_weights;
    const double largest = std::fabs(sum_exp.data()[i]);
    // The log-sum-exp of a row, from whose square the z-loss follows.
    const double error_of_sum = kOperationError * u * largest + error_of_logit +
                                format.unit_roundoff * largest + format.tiny;
    total += weight(target);
    ++count;
    moved_by_z[i] = options.z_loss * (2 * largest + error_of_sum) * error_of_sum +
                    options.z_loss * largest * largest * rounded;
    for (std::size_t k = 0; k < classes; ++k) {
      const std::size_t at = i * classes + k;
      const double apart = x.data()[at] - sum_exp.data()[i];
      const double computed = kOperationError * u * (largest + std::fabs(apart));
      const double exponent = computed + 2 * error_of_logit +
                              format.unit_roundoff * (std::fabs(apart) + computed + format.tiny);
      const double part = share * weight(k) + (k == target ? hard : 0);
      moved[i] += part * (exponent + rounded * (std::fabs(apart) + exponent));
      const double probability = ref::numeric::exp(apart + exponent);
      const double slope = options.soft_cap ? 1 - tanh.data()[at] * tanh.data()[at] : 1;
      // The derivative of the cap, 1 - t t, moves by 2 |t| and by the square of the error of t.
      const double moved_slope =
          options.soft_cap ? (2 * std::fabs(tanh.data()[at]) + error_of_tanh) * error_of_tanh : 0;
      moved_gradient[at] = slope * (all * probability * (exponent + rounded) + part * rounded) +
                           moved_slope * (all * probability + part);
      const double of_z = 2 * options.z_loss * probability;
      gradient_by_z[at] =
          slope * of_z * (error_of_sum + (largest + error_of_sum) * (exponent + rounded)) +
          moved_slope * of_z * (largest + error_of_sum);
    }
  }
  const bool is_mean = options.reduction == ref::model::LossReduction::mean;
  const double of_losses = is_mean ? total : 1, of_z = is_mean ? static_cast<double>(count) : 1;
  const double slack = operation_slack(2 * static_cast<double>(rows + classes), u);
  const bool has_one_loss = options.reduction != ref::model::LossReduction::none;
  for (std::size_t i = 0; i < rows; ++i)
    bound.at("loss").data()[has_one_loss ? 0 : i] +=
        (moved[i] / of_losses + moved_by_z[i] / of_z) * slack;
  for (std::size_t at = 0; at < x.size(); ++at)
    bound.at("grad_logits").data()[at] +=
        (moved_gradient[at] / of_losses + gradient_by_z[at] / of_z) * slack;
}

constexpr ref::numeric::Arithmetic kExactStorage{.unit_roundoff = 0, .tiny = 0, .largest = 0};

}  // namespace

void add_cross_entropy_allowances(const Case& c, const checks::evaluation::FunctionInputs& inputs,
                                  Accumulation accumulation, NamedTensors<double>& bound) {
  allow_log_probabilities(c, inputs, accumulation, kExactStorage, bound);
}

std::string_view to_string(LossDtype dtype) {
  return dtype == LossDtype::wide ? "wide" : "logits";
}

LossDtype parse_loss_dtype(std::string_view name) {
  for (const LossDtype dtype : kLossDtypes)
    if (to_string(dtype) == name) return dtype;
  throw ref::numeric::UsageError(
      ref::numeric::unknown_name("loss dtype", name, {"logits", "wide"}));
}

void allow_stored_log_probabilities(const Case& c, Accumulation accumulation,
                                    NamedTensors<double>& bound) {
  if (!has_operation<ref::model::CrossEntropyOptions>(c) ||
      !corpus::rounds_when_stored(c.dtype, accumulation))
    return;
  checks::evaluation::EvalInputs inputs = recipes::inputs_of(c);
  certify::replace_not_finite(inputs, c, certify::kReplacements);
  allow_log_probabilities(c, inputs.function, accumulation,
                          accumulation_arithmetic(corpus::storage_format(c.dtype)), bound);
}

}  // namespace normproof::verification::golden::tolerance
