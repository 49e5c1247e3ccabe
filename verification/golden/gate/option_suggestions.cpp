#include "verification/golden/gate/option_suggestions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "ref/model/option_choices.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/checks/evaluation/sequence.hpp"
#include "verification/golden/corpus/arithmetic.hpp"
#include "verification/golden/corpus/kind.hpp"
#include "verification/golden/corpus/scaling.hpp"
#include "verification/golden/gate/gradient_case.hpp"
#include "verification/golden/recipes/case_inputs.hpp"
#include "verification/golden/tolerance/cast_order.hpp"

namespace normproof::verification::golden::gate {

namespace {

/// Whether the answer is near the outputs of the reference in `double`. It costs less than the
/// exact values of the case.
/// Throws    ContractError if the option does not fit the inputs
bool is_near_reference(const Case& c, const std::vector<StoredTensor>& answer,
                       const std::vector<std::string>& outputs) {
  constexpr double kMaxError = 0.01;
  const ref::tensor::NamedTensors<double> reference =
      checks::evaluation::run_operation<double>(c.options, recipes::inputs_of(c), c.sequence);
  return std::ranges::all_of(outputs, [&](const std::string& name) {
    const ref::tensor::Tensor<double>* const right = reference.find(name);
    const StoredTensor* const given = corpus::find(answer, name);
    if (right == nullptr || given == nullptr) return false;
    const ref::tensor::Shape shape = ref::tensor::shape_of(*right);
    if (!std::ranges::equal(shape, given->shape)) return false;
    const std::vector<double> got = ref::io::widen(*given);
    double largest = 0;
    for (const double v : *right)
      if (std::isfinite(v)) largest = std::max(largest, std::fabs(v));
    for (std::size_t i = 0; i < right->size(); ++i)
      if (const double v = right->data()[i];
          std::isfinite(v) && !(std::fabs(got[i] - v) <= kMaxError * largest))
        return false;
    return true;
  });
}

/// Returns the largest difference of two outputs with finite values.
double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (std::isfinite(b[i])) largest = std::max(largest, std::fabs(a[i] - b[i]));
  return largest;
}

/// Whether every output that failed is much closer to the reference in `double` for `other`, the
/// case with another option, than to the expected values. Saves exact values for options that
/// change less than the error, such as a tiny eps.
/// Throws    ContractError if the option does not fit the inputs
bool is_closer_to(const Case& other, const StoredCase& stored,
                  const std::vector<StoredTensor>& answer, const CaseResult& result) {
  constexpr double kTimesCloser = 4;
  const ref::tensor::NamedTensors<double> reference = checks::evaluation::run_operation<double>(
      other.options, recipes::inputs_of(other), other.sequence);
  return std::ranges::all_of(result.tensors, [&](const TensorResult& tensor) {
    if (tensor.passed()) return true;
    const ref::tensor::Tensor<double>* const right = reference.find(tensor.name);
    const StoredTensor* const given = corpus::find(answer, tensor.name);
    const StoredTensor* const exact = corpus::find(stored.expected, tensor.name);
    if (right == nullptr || given == nullptr || exact == nullptr) return false;
    const std::vector<double> got = ref::io::widen(*given);
    const double error = largest_difference(got, {right->begin(), right->end()});
    return kTimesCloser * error <= largest_difference(got, ref::io::widen(*exact));
  });
}

/// Returns a case without its expected values, in which an option has another value.
Case with_option(const Case& c, const std::string& name, const std::string& value) {
  Case other = c;
  ref::model::set_option(other.options, name, value);
  return other;
}

/// Whether all outputs are right if the option `name` has this value.
bool is_right_for(const StoredCase& stored, const std::string& name, const std::string& value,
                  const std::vector<StoredTensor>& answer, const std::vector<std::string>& outputs,
                  CheckOptions options) {
  try {
    if (!is_near_reference(with_option(with_every_gradient(stored), name, value), answer, outputs))
      return false;
    const StoredCase other = certify::certify_case(with_option(stored.description.c, name, value));
    options.outputs = outputs;
    return passes_fully_judged(check_case(other, answer, options));
  } catch (const ref::numeric::ContractError&) {  // the option does not fit the inputs
    return false;
  } catch (const ref::numeric::UsageError&) {
    return false;
  } catch (const ref::numeric::FileError&) {
    return false;
  }
}

/// An option, and a value that it does not have.
struct OptionValue {
  std::string name, value;
};

/// Returns the options of a case that are numbers and do not have their default, with the default:
/// a candidate that ignores the option has this value.
std::vector<OptionValue> list_defaults_of_changed_numbers(const Case& c) {
  const auto defaults = list_all_options(ref::model::operation(corpus::case_operation_name(c)));
  const std::vector<ref::model::OptionChoices> choices = ref::model::list_option_choices(c.options);
  std::vector<OptionValue> changed;
  for (const auto& [name, value] : list_all_options(c.options)) {
    const auto usual =
        std::ranges::find(defaults, name, &std::pair<std::string, std::string>::first);
    if (usual == defaults.end() || usual->second == value ||
        std::ranges::find(choices, name, &ref::model::OptionChoices::name) != choices.end())
      continue;
    changed.push_back({name, usual->second});
  }
  return changed;
}

std::vector<Diagnosis> suggestion(std::string what, const std::vector<std::string>& outputs) {
  return {{.what = std::move(what), .kind = Diagnosis::Kind::option, .outputs = outputs}};
}

/// Whether all outputs are right if an option that is a number has this value.
bool is_right_for_number(const StoredCase& stored, const OptionValue& option,
                         const std::vector<StoredTensor>& answer, const CaseResult& result,
                         const CheckOptions& options) {
  try {
    const Case other = with_option(with_every_gradient(stored), option.name, option.value);
    if (!is_closer_to(other, stored, answer, result)) return false;
  } catch (const ref::numeric::ContractError&) {  // the option does not fit the inputs
    return false;
  }
  return is_right_for(stored, option.name, option.value, answer, output_names(result), options);
}

/// Whether the tensor has a number other than 0 that is subnormal, or whose square is.
bool has_tiny_numbers(const StoredTensor& tensor) {
  if (!ref::io::is_float(tensor.dtype)) return false;
  const double least =
      ref::numeric::float_format_info(corpus::storage_format(tensor.dtype)).smallest_normal;
  constexpr double kMargin = 0x1p10;
  return std::ranges::any_of(ref::io::widen(tensor), [&](double v) {
    return v != 0 && std::fabs(v) < kMargin * std::sqrt(least);
  });
}

/// Whether the outputs pass if the candidate declares that it flushes subnormal numbers.
bool passes_with_flushing(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                          const std::vector<std::string>& outputs, CheckOptions options) {
  const Case& c = stored.description.c;
  if (options.flush_subnormals || (std::ranges::none_of(c.inputs, has_tiny_numbers) &&
                                   std::ranges::none_of(stored.expected, has_tiny_numbers)))
    return false;
  options.outputs = outputs;
  options.flush_subnormals = true;
  return passes_fully_judged(check_case(stored, answer, options));
}

/// Whether the outputs of a norm of 16 bits pass if the candidate declares that it rounds x_hat
/// before it multiplies by gamma. Such a rounding spoils y.
bool passes_with_early_cast(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                            const CaseResult& result, CheckOptions options) {
  const Case& c = stored.description.c;
  const bool is_norm = corpus::is_layer(c) ||
                       corpus::has_operation<ref::model::AddLayerNormOptions>(c) ||
                       corpus::has_operation<ref::model::AddRMSNormOptions>(c);
  const bool is_y_wrong = std::ranges::any_of(
      result.tensors, [](const TensorResult& t) { return t.name == "y" && !t.passed(); });
  if (!is_norm || !is_y_wrong || ref::io::item_size(c.dtype) != 2 ||
      options.cast_order != tolerance::CastOrder::after_gamma)
    return false;
  options.outputs = output_names(result);
  options.cast_order = tolerance::CastOrder::before_gamma;
  return passes_fully_judged(check_case(stored, answer, options));
}

/// Whether the outputs of a norm of 16 bits pass if the candidate declares that it stores the mean
/// and rstd in the dtype of x. Such a rounding spoils grad_x. A wrong sum over rows does not.
bool passes_with_stored_statistics(const StoredCase& stored,
                                   const std::vector<StoredTensor>& answer,
                                   const CaseResult& result, CheckOptions options) {
  const Case& c = stored.description.c;
  const bool is_grad_x_wrong = std::ranges::any_of(
      result.tensors, [](const TensorResult& t) { return t.name == "grad_x" && !t.passed(); });
  if (!is_grad_x_wrong || !tolerance::is_norm_of_rows(c) || ref::io::item_size(c.dtype) != 2 ||
      options.cast_order != tolerance::CastOrder::after_gamma)
    return false;
  options.outputs = output_names(result);
  options.cast_order = tolerance::CastOrder::stored_statistics;
  return passes_fully_judged(check_case(stored, answer, options));
}

/// Returns the roundings of the scales of blocks with which all outputs pass, such as "'up' or
/// 'even'", without the one that the candidate declares. A case need not tell two of them apart.
std::string fitting_scale_roundings(const StoredCase& stored,
                                    const std::vector<StoredTensor>& answer,
                                    const CaseResult& result, CheckOptions options) {
  const bool is_scale_wrong = std::ranges::any_of(
      result.tensors, [](const TensorResult& t) { return t.name == "y_scale" && !t.passed(); });
  if (!is_scale_wrong ||
      corpus::output_scaling(stored.description.c, "y") != corpus::OutputScaling::blocks)
    return {};
  options.outputs = output_names(result);
  tolerance::Tolerance bounds = tolerance_for_options(stored, options);
  std::vector<std::string> fitting;
  for (const corpus::ScaleRounding rounding : corpus::kScaleRoundings) {
    if (rounding == options.scale_rounding) continue;
    bounds.scale_rounding = rounding;
    if (passes_fully_judged(check_case(stored, answer, options, bounds)))
      fitting.push_back(fmt::format("'{}'", to_string(rounding)));
  }
  return fmt::format("{}", fmt::join(fitting, " or "));
}

}  // namespace

std::vector<Diagnosis> suggest_flushing(const StoredCase& stored,
                                        const std::vector<StoredTensor>& answer,
                                        const CaseResult& result, const CheckOptions& options) {
  const std::vector<std::string> outputs = output_names(result);
  if (!passes_with_flushing(stored, answer, outputs, options)) return {};
  return suggestion("flush_subnormals=True", outputs);
}

std::vector<Diagnosis> suggest_options(const StoredCase& stored,
                                       const std::vector<StoredTensor>& answer,
                                       const CaseResult& result, const CheckOptions& options) {
  const Case& c = stored.description.c;
  const std::vector<std::string> outputs = output_names(result);
  if (passes_with_early_cast(stored, answer, result, options))
    return suggestion("cast_order='before_gamma'", outputs);
  if (passes_with_stored_statistics(stored, answer, result, options))
    return suggestion("cast_order='stored_statistics'", outputs);
  if (const std::string roundings = fitting_scale_roundings(stored, answer, result, options);
      !roundings.empty())
    return suggestion(fmt::format("scale_rounding={}", roundings), outputs);
  if (!corpus::is_layer(c) && !corpus::is_function(c)) return {};
  for (const ref::model::OptionChoices& option : ref::model::list_option_choices(c.options))
    for (const std::string& value : option.others)
      if (is_right_for(stored, option.name, value, answer, outputs, options))
        return suggestion(
            option.is_flag ? fmt::format("{}={}", option.name, value == "true" ? "True" : "False")
                           : fmt::format("{}='{}'", option.name, value),
            outputs);
  for (const OptionValue& option : list_defaults_of_changed_numbers(c))
    if (is_right_for_number(stored, option, answer, result, options))
      return suggestion(
          fmt::format("{}={}", option.name, option.value == "none" ? "None" : option.value),
          outputs);
  return {};
}

}  // namespace normproof::verification::golden::gate
