#include "verification/golden/certify/not_finite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "ref/model/attention_states.hpp"
#include "ref/model/operation_info.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::verification::golden::certify {

using corpus::Case;
using ref::model::InfiniteElements;
using ref::model::OperationInputs;
using ref::tensor::Mask;
using ref::tensor::Tensor;

namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();
/// exp(-kFarBelow) is less than half of the smallest positive double.
constexpr double kFarBelow = 1e4;

/// Returns the name of the tensor of a function in which -infinity is a limit. Returns an empty
/// name if the operation takes no -infinity as a limit.
std::string_view limit_operand(const Case& c) {
  const auto& info = ref::model::operation_info(c.options);
  if (info.infinite_elements != InfiniteElements::minus_infinity_is_a_limit) return {};
  return info.operands.front().name;
}

/// Whether the mask excludes element i of x. A mask of cross_entropy, [N], selects rows.
bool is_excluded(const Mask& valid, const Tensor<double>& x, std::size_t i) {
  if (!ref::tensor::is_given(valid)) return false;
  return !valid.data()[valid.size() == x.size() ? i : i / x.shape().back()];
}

/// Returns the largest element of the row that begins at `begin`. Returns nothing if the row has no
/// finite element, or one that is +infinity or NaN.
std::optional<double> largest_element(const Tensor<double>& x, const Mask& valid,
                                      std::size_t begin) {
  std::optional<double> largest;
  for (std::size_t i = begin; i < begin + x.shape().back(); ++i) {
    const double v = x.data()[i];
    if (is_excluded(valid, x, i) || v == kMinusInfinity) continue;
    if (!std::isfinite(v)) return std::nullopt;
    largest = std::max(largest.value_or(v), v);
  }
  return largest;
}

/// Whether every element of a row that takes part is -infinity, and at least one takes part.
bool is_row_of_minus_infinity(const Tensor<double>& x, const Mask& valid, std::size_t row) {
  const std::size_t width = x.shape().back();
  std::size_t count = 0;
  for (std::size_t i = row * width; i < (row + 1) * width; ++i) {
    if (is_excluded(valid, x, i)) continue;
    if (x.data()[i] != kMinusInfinity) return false;
    ++count;
  }
  return count > 0;
}

/// Replaces -infinity by a number with the same result and gradient in an operation on elements.
void replace_elementwise_limits(Tensor<double>& x) {
  std::ranges::replace(x, kMinusInfinity, -1.0);
}

void replace_limits(Tensor<double>& x, const Mask& valid) {
  const std::size_t width = x.shape().back();
  for (std::size_t begin = 0; begin < x.size(); begin += width) {
    const std::optional<double> largest = largest_element(x, valid, begin);
    if (!largest) continue;
    const double replacement = *largest - kFarBelow * (1 + std::abs(*largest));
    for (std::size_t i = begin; i < begin + width; ++i)
      if (x.data()[i] == kMinusInfinity) x.data()[i] = replacement;
  }
}

/// Returns number i of a sequence in [0.5, 1.5) without any pattern: the golden ratio modulo 1.
double generic_number(std::size_t i) {
  const double product = static_cast<double>(i + 1) * 0.6180339887498949;
  return 0.5 + (product - std::floor(product));
}

void make_generic(Tensor<double>& gradient, const Mask& valid) {
  for (std::size_t i = 0; i < gradient.size() && ref::tensor::is_given(gradient); ++i) {
    const bool is_padding = ref::tensor::is_given(valid) && gradient.size() % valid.size() == 0 &&
                            !valid.data()[i / (gradient.size() / valid.size())];
    if (std::isfinite(gradient.data()[i]) && !is_padding) gradient.data()[i] = generic_number(i);
  }
}

bool is_gradient(std::string_view name) {
  return name.starts_with("grad_");
}

/// Whether a number of a function's tensor is finite, or hides a key: the bias of attention may
/// have elements -infinity, which are as a mask.
bool is_finite_or_hides(std::string_view name, double v) {
  return std::isfinite(v) || (name == "bias" && v == kMinusInfinity);
}

/// Whether a logarithm of -infinity, which no reader of the case replaces, marks an empty split of
/// merge_attention_states.
bool marks_empty_split(std::string_view name, double v) {
  return name == ref::model::kStateLogarithms && v == kMinusInfinity;
}

/// Whether element i of o belongs to an empty split, so that no implementation reads it.
bool is_in_empty_split(const OperationInputs& inputs, std::string_view name, std::size_t i) {
  const Tensor<double>* const logs = inputs.function.tensors.find("log_sum_exp");
  if (name != "o" || logs == nullptr) return false;
  const std::size_t width = inputs.function.tensors.at("o").shape().back();
  return marks_empty_split("log_sum_exp", logs->data()[i / width]);
}

/// Whether all splits of query i of merge_attention_states are empty.
bool is_query_without_state(const OperationInputs& inputs, std::size_t i) {
  const Tensor<double>& logs = inputs.function.tensors.at("log_sum_exp");
  const std::size_t queries = logs.size() / logs.shape().front();
  for (std::size_t at = i; at < logs.size(); at += queries)
    if (logs.data()[at] != kMinusInfinity) return false;
  return true;
}

}  // namespace

bool has_not_finite(const OperationInputs& inputs) {
  const auto contains = [](std::string_view name, const Tensor<double>& tensor) {
    return ref::tensor::is_given(tensor) &&
           !std::all_of(tensor.begin(), tensor.end(),
                        [&](double v) { return is_finite_or_hides(name, v); });
  };
  return std::ranges::any_of(inputs.steps,
                             [&](const auto& step) {
                               return contains("x", step.x) || contains("grad_y", step.grad_y);
                             }) ||
         std::any_of(inputs.function.tensors.begin(), inputs.function.tensors.end(),
                     [&](const auto& entry) {
                       const auto& [name, tensor] = entry;
                       return contains(name, tensor);
                     });
}

void replace_not_finite(OperationInputs& inputs, const Case& c, const Replacements& replacements) {
  if (const auto name = limit_operand(c); !name.empty()) {
    Tensor<double>& x = inputs.function.tensors.at(std::string(name));
    if (ref::model::operation_info(c.options).independence == ref::model::Independence::element)
      replace_elementwise_limits(x);
    else
      replace_limits(x, inputs.function.valid);
  }
  std::size_t found = 0;
  const auto replace = [&](std::string_view name, Tensor<double>& tensor) {
    for (std::size_t i = 0; i < tensor.size() && ref::tensor::is_given(tensor); ++i) {
      const double v = tensor.data()[i];
      if (is_finite_or_hides(name, v) || marks_empty_split(name, v)) continue;
      tensor.data()[i] = replacements.first + replacements.apart * static_cast<double>(found++);
    }
  };
  for (auto& step : inputs.steps) {
    replace("x", step.x);
    replace("grad_y", step.grad_y);
  }
  for (auto& [name, tensor] : inputs.function.tensors) replace(name, tensor);
}

void replace_gradients_by_generic_numbers(OperationInputs& inputs) {
  for (auto& step : inputs.steps) make_generic(step.grad_y, step.valid);
  for (auto& [name, tensor] : inputs.function.tensors)
    if (is_gradient(name)) make_generic(tensor, {});
}

bool is_minus_infinity(const OperationInputs& inputs, const Case& c, std::string_view output,
                       std::size_t i) {
  const auto* const function = std::get_if<ref::model::FunctionOptions>(&c.options);
  if (function == nullptr) return false;
  if (std::holds_alternative<ref::model::MergeAttentionStatesOptions>(*function))
    return output == ref::model::kStateLogarithms && is_query_without_state(inputs, i);
  if (output != "y") return false;
  if (std::holds_alternative<ref::model::LogSumExpOptions>(*function))
    return is_row_of_minus_infinity(inputs.function.tensors.at("x"), inputs.function.valid, i);
  if (!std::holds_alternative<ref::model::LogSoftmaxOptions>(*function)) return false;
  const Tensor<double>& x = inputs.function.tensors.at("x");
  const std::size_t width = x.shape().back();
  return x.data()[i] == kMinusInfinity && largest_element(x, {}, i - i % width).has_value();
}

/// Throws UsageError if a logit is -infinity and has a cap. Its capped value is finite, so that the
/// class is not excluded.
static void check_capped_logits(const ref::model::CrossEntropyOptions& options,
                                const ref::tensor::Mask& valid, const Tensor<double>& logits) {
  for (std::size_t i = 0; i < logits.size() && options.soft_cap; ++i)
    if (logits.data()[i] == kMinusInfinity && !is_excluded(valid, logits, i))
      throw ref::numeric::UsageError(fmt::format(
          "logits at {} is -inf; expected finite logits with soft_cap, because the capped logit is "
          "-soft_cap and excludes no class",
          ref::tensor::index_to_string(i, ref::tensor::shape_of(logits))));
}

void check_infinities(const OperationInputs& inputs, const Case& c) {
  const auto& info = ref::model::operation_info(c.options);
  const auto check = [&](std::string_view name, const Tensor<double>& tensor) {
    if (!ref::tensor::is_given(tensor) || is_gradient(name)) return;
    for (std::size_t i = 0; i < tensor.size(); ++i) {
      const double v = tensor.data()[i];
      if (!std::isinf(v) || is_finite_or_hides(name, v) || marks_empty_split(name, v) ||
          is_in_empty_split(inputs, name, i) ||
          info.infinite_elements == InfiniteElements::make_nan)
        continue;
      if (info.plus_infinity_makes_y_infinite && v > 0 &&
          !is_excluded(inputs.function.valid, tensor, i))
        throw ref::numeric::UsageError(fmt::format(
            "{} at {} is inf; expected numbers below infinity, because the result of {} is "
            "infinite",
            name, ref::tensor::index_to_string(i, ref::tensor::shape_of(tensor)), info.name));
      if (info.infinite_elements == InfiniteElements::minus_infinity_is_a_limit) continue;
      throw ref::numeric::UsageError(fmt::format(
          "{} at {} is {}; expected numbers that are finite or NaN, because the result of {} at an "
          "infinity depends on the order of its operations",
          name, ref::tensor::index_to_string(i, ref::tensor::shape_of(tensor)), v, info.name));
    }
  };
  for (const auto& step : inputs.steps) check("x", step.x);
  for (const auto& [name, tensor] : inputs.function.tensors) check(name, tensor);
  const auto* const function = std::get_if<ref::model::FunctionOptions>(&c.options);
  const auto* const cross_entropy =
      function == nullptr ? nullptr : std::get_if<ref::model::CrossEntropyOptions>(function);
  if (cross_entropy == nullptr || limit_operand(c).empty()) return;
  const Tensor<double>& logits = inputs.function.tensors.at(std::string(limit_operand(c)));
  check_capped_logits(*cross_entropy, inputs.function.valid, logits);
  const bool is_smoothed = cross_entropy->loss.label_smoothing > 0;
  for (std::size_t i = 0; i < logits.size() && is_smoothed; ++i)
    if (logits.data()[i] == kMinusInfinity && !is_excluded(inputs.function.valid, logits, i))
      throw ref::numeric::UsageError(fmt::format(
          "logits at {} is -inf; expected finite logits with label_smoothing, because the loss is "
          "infinite",
          ref::tensor::index_to_string(i, ref::tensor::shape_of(logits))));
  const std::size_t width = logits.shape().back();
  for (std::size_t row = 0; row < inputs.function.targets.size(); ++row) {
    const std::size_t i = row * width + static_cast<std::size_t>(inputs.function.targets[row]);
    if (i >= logits.size() || logits.data()[i] != kMinusInfinity) continue;
    if (is_excluded(inputs.function.valid, logits, i)) continue;
    throw ref::numeric::UsageError(fmt::format(
        "logits at {} is -inf, and is the logit of targets[{}]; expected a finite logit, "
        "because the loss is infinite",
        ref::tensor::index_to_string(i, ref::tensor::shape_of(logits)), row));
  }
}

}  // namespace normproof::verification::golden::certify
