#include "verification/golden/certify/user_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "ref/numeric/errors.hpp"
#include "ref/tensor/contract.hpp"
#include "verification/checks/evaluation/sequence.hpp"
#include "verification/golden/certify/condition.hpp"
#include "verification/golden/certify/enclosed_sums.hpp"
#include "verification/golden/certify/for_each_in_parallel.hpp"
#include "verification/golden/certify/norm_sums.hpp"
#include "verification/golden/corpus/kind.hpp"
#include "verification/golden/corpus/scaling.hpp"
#include "verification/golden/recipes/case_inputs.hpp"

namespace normproof::verification::golden::certify {

using ref::io::DType;
using ref::numeric::UsageError;

namespace {

void check_case_name(const std::string& name) {
  const bool plain =
      !name.empty() && name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == name.npos;
  if (!plain)
    throw UsageError(fmt::format(
        "the name of a case is '{}'; expected small letters, digits and '_', such as 'mine'",
        name));
}

ref::model::Mode parse_mode(const std::string& mode) {
  if (mode == "training") return ref::model::Mode::training;
  if (mode == "inference") return ref::model::Mode::inference;
  throw UsageError(ref::numeric::unknown_name("mode", mode, {"inference", "training"}));
}

/// Returns the dtype of x, of the parameter of an optimizer, or of o, which merge_attention_states
/// has beside logarithms of another dtype. If none is given, returns the dtype of the first
/// floating-point input.
DType case_dtype(const std::vector<StoredTensor>& inputs) {
  for (const char* name : {"x", "parameter", "o"})
    if (const StoredTensor* const tensor = corpus::find(inputs, name)) {
      if (ref::io::is_float(tensor->dtype)) return tensor->dtype;
      throw UsageError(fmt::format("{} has dtype {}; expected {}", name,
                                   ref::io::to_string(tensor->dtype),
                                   ref::io::list_dtypes(ref::io::is_float)));
    }
  const auto found = std::ranges::find_if(
      inputs, [](const StoredTensor& tensor) { return ref::io::is_float(tensor.dtype); });
  return found == inputs.end() ? DType::float64 : found->dtype;
}

/// The option that sets the dtype of y if it differs from that of x, as for a y of 8 bits.
constexpr std::string_view kDTypeOfY = "y_dtype";

DType parse_dtype_of_y(const std::string& name) {
  const auto dtype = ref::io::find_dtype(name);
  if (dtype && ref::io::is_float(*dtype)) return *dtype;
  throw UsageError(fmt::format("{} is '{}'; expected {}", kDTypeOfY, name,
                               ref::io::list_dtypes(ref::io::is_float)));
}

/// Checks the shape and the dtype of an input about the scales of y.
void check_scale_of_y(const Case& c, const char* name, DType dtype) {
  const StoredTensor* const scale = corpus::find(c.inputs, name);
  if (scale == nullptr) return;
  if (scale->dtype != dtype || scale->shape != std::vector<std::size_t>{1})
    throw UsageError(fmt::format("{} is {} {}; expected {} [1]", name,
                                 ref::io::to_string(scale->dtype),
                                 ref::tensor::to_string(scale->shape), ref::io::to_string(dtype)));
  const double value = ref::io::widen(*scale)[0];
  const bool is_whole =
      name == std::string_view(corpus::kGroupOfY) && value == corpus::kWholeTensor;
  if (!is_whole && !(value > 0 && std::isfinite(value)))
    throw UsageError(fmt::format("{} is {}; expected a finite number above 0", name, value));
}

/// Checks that only tensors of 4 bits have a scale of the tensor beside the scales of their blocks.
void check_tensor_scales(const Case& c) {
  for (const char* const name : {"x", "y", "gate", "grad_y"}) {
    if (corpus::find(c.inputs, corpus::tensor_scale_name(name)) == nullptr) continue;
    const StoredTensor* const input = corpus::find(c.inputs, name);
    const DType dtype = input == nullptr ? c.dtype : input->dtype;
    if (dtype != DType::float4_e2m1fn)
      throw UsageError(fmt::format("{} is given, and {} has dtype {}; expected float4_e2m1fn",
                                   corpus::tensor_scale_name(name), name,
                                   ref::io::to_string(dtype)));
    if (name != std::string_view("y")) continue;
    for (const char* const other : {"y_scale", corpus::kGroupOfY})
      if (corpus::find(c.inputs, other) != nullptr)
        throw UsageError(
            fmt::format("{} and {} are both given; expected one of them, as blocks of 16 have the "
                        "scales of nvfp4",
                        corpus::tensor_scale_name(name), other));
  }
}

/// Checks that the tensors of 8 bits or fewer of a case have the scales of eight_bits.md.
void check_scales(const Case& c) {
  for (const StoredTensor& input : c.inputs) {
    const bool may_have_8_bits =
        input.name == "x" || input.name == "gate" || input.name == "grad_y";
    if (corpus::has_scales(input) && !may_have_8_bits)
      throw UsageError(
          fmt::format("{} has dtype {}; expected 16 bits or more, as only x, gate and "
                      "grad_y may have 8 bits",
                      input.name, ref::io::to_string(input.dtype)));
  }
  for (const char* const name :
       {"y_scale", "y_tensor_scale", corpus::kUpperBoundOfY, corpus::kMinScaleOfY})
    check_scale_of_y(c, name, DType::float32);
  check_tensor_scales(c);
  check_scale_of_y(c, corpus::kGroupOfY, DType::int64);
  const StoredTensor* const powers = corpus::find(c.inputs, corpus::kPowersOfTwoOfY);
  if (powers != nullptr &&
      (powers->dtype != DType::boolean || powers->shape != std::vector<std::size_t>{1}))
    throw UsageError(fmt::format("{} is {} {}; expected boolean [1]", powers->name,
                                 ref::io::to_string(powers->dtype),
                                 ref::tensor::to_string(powers->shape)));
  const corpus::OutputScaling scaling = corpus::output_scaling(c, "y");
  if (scaling == corpus::OutputScaling::blocks && c.dtype == DType::int8)
    throw UsageError(fmt::format("y of int8 has no scales of blocks; expected y_scale or {}",
                                 corpus::kGroupOfY));
  const bool needs_finite_numbers = corpus::has_found_scales(scaling) || c.dtype == DType::int8 ||
                                    c.dtype == DType::float4_e2m1fn;
  for (const StoredTensor& input : c.inputs)
    if (needs_finite_numbers && ref::io::is_float(input.dtype) &&
        !std::ranges::all_of(ref::io::widen(input), [](double v) { return std::isfinite(v); }))
      throw UsageError(
          fmt::format("{} has an infinity or a NaN; expected finite numbers, as scales follow from "
                      "the largest magnitude of y, and int8 and float4_e2m1fn have no NaN",
                      input.name));
}

/// Replaces the name of the argument in a contract violation by the name of the option that the
/// user gave. For example, if the norm of an encoder rejects its eps, the name becomes "norm.eps".
ref::numeric::ContractViolation rename_to_option(const Case& c,
                                                 ref::numeric::ContractViolation violation) {
  const auto options = ref::model::list_options(c.options);
  const auto is_option = [&](const std::string& name) {
    return std::ranges::any_of(options, [&](const auto& option) { return option.first == name; });
  };
  const std::string inside = "norm." + violation.argument;
  if (!is_option(violation.argument) && is_option(inside)) violation.argument = inside;
  return violation;
}

/// Throws UsageError if a second moment, whose square root an optimizer takes, is negative.
void check_second_moment(const Case& c) {
  const StoredTensor* const moment = corpus::find(c.inputs, "second_moment");
  if (moment == nullptr) return;
  const std::vector<double> values = ref::io::widen(*moment);
  const auto negative = std::ranges::find_if(values, [](double v) { return v < 0; });
  if (negative == values.end()) return;
  throw UsageError(fmt::format(
      "second_moment at {} is {}; expected numbers that are not negative, because {} takes their "
      "square root",
      ref::tensor::index_to_string(static_cast<std::size_t>(negative - values.begin()),
                                   moment->shape),
      *negative, corpus::case_operation_name(c)));
}

void check_part(const Case& c) {
  checks::evaluation::EvalInputs inputs = recipes::inputs_of(c);
  check_infinities(inputs, c);
  replace_not_finite(inputs, c, kReplacements);
  checks::evaluation::run_operation<double>(c.options, inputs, c.sequence);
}

/// Checks a case block by block, which takes less memory than the whole case. The whole case is
/// checked if a block violates a requirement, because the message names an element.
void check_blocks(const Case& c, int threads) {
  const RowBlocks blocks(c);
  if (blocks.count() == 1) return check_part(c);
  try {
    for_each_in_parallel(blocks.count(), threads,
                         [&](std::size_t i) { check_part(blocks.block(i)); });
  } catch (const std::exception&) {
    check_part(c);
    throw;
  }
}

/// Runs the operation once in double, so that violated requirements are reported before the
/// certification starts.
void check_requirements(const Case& c, int threads) {
  check_second_moment(c);
  try {
    check_blocks(c, threads);
  } catch (const ref::numeric::FileError& error) {
    throw UsageError(error.what());
  } catch (const ref::numeric::ContractError& error) {
    throw UsageError(
        fmt::format("{}: {}", case_folder(c), sentence(rename_to_option(c, error.violation()))));
  }
}

}  // namespace

std::vector<std::pair<std::string, std::string>> parse_user_options(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> options;
  if (text.empty()) return options;
  const auto object = nlohmann::json::parse(text, nullptr, false);
  if (!object.is_object())
    throw UsageError("the options are no JSON object; expected one such as {\"eps\":\"1e-05\"}");
  for (const auto& [name, value] : object.items()) {
    if (!value.is_string())
      throw UsageError(
          fmt::format("the option '{}' is no text; expected one such as \"1e-05\"", name));
    options.emplace_back(name, value.get<std::string>());
  }
  return options;
}

Case make_user_case(UserCase question, int threads) {
  check_case_name(question.name);
  Case c;
  c.tier = corpus::Tier::user;
  c.reason = question.name;
  c.why = "a question of the caller's own";
  c.options = ref::model::operation(question.op);
  std::optional<DType> dtype_of_y;
  for (const auto& [name, value] : question.options)
    if (name == kDTypeOfY)
      dtype_of_y = parse_dtype_of_y(value);
    else
      ref::model::set_option(c.options, name, value);
  c.mode = parse_mode(question.mode);
  c.sequence = question.sequence;
  c.inputs = std::move(question.inputs);
  std::ranges::sort(c.inputs, {}, &StoredTensor::name);
  const auto twice = std::ranges::adjacent_find(c.inputs, {}, &StoredTensor::name);
  if (twice != c.inputs.end())
    throw UsageError(fmt::format("the input '{}' is given twice; expected once", twice->name));
  c.dtype = dtype_of_y ? *dtype_of_y : case_dtype(c.inputs);
  if (corpus::is_scaled(c)) check_scales(c);
  check_requirements(c, threads);
  return c;
}

namespace {

StoredCase make_stored_case(Case c, Expected&& expected) {
  StoredCase stored;
  CaseDescription& description = stored.description;
  description.path = case_folder(c);
  description.condition = condition_number(c);
  description.case_text = manifest_entry_text(c, expected);
  description.c = std::move(c);
  for (const StoredTensor& tensor : expected.tensors)
    if (!tensor.name.ends_with("_lo")) description.outputs.push_back(tensor.name);
  stored.expected = std::move(expected.tensors);
  return stored;
}

void check_rows(const Case& c, std::span<const std::size_t> rows) {
  if (!has_independent_rows(c))
    throw UsageError(fmt::format(
        "{} does not compute each row independently; expected an operation that does, such as "
        "layer_norm",
        corpus::case_operation_name(c)));
  const std::size_t count = corpus::find(c.inputs, "x")->shape[0];
  if (rows.empty()) throw UsageError("no row is given; expected at least one");
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i] >= count || (i > 0 && rows[i] <= rows[i - 1]))
      throw UsageError(fmt::format("rows[{}] is {}; expected rows below {} in ascending order", i,
                                   rows[i], count));
}

}  // namespace

StoredCase certify_user_case(Case c, int threads, const Progress& progress) {
  Expected expected = certify_in_blocks(c, RowBlocks(c), threads, progress);
  return make_stored_case(std::move(c), std::move(expected));
}

StoredCase certify_rows(Case c, std::span<const std::size_t> rows, int threads,
                        const Progress& progress) {
  check_rows(c, rows);
  Case drawn = select_rows(c, rows);
  Expected expected = certify_in_blocks(drawn, RowBlocks(drawn), threads);
  EnclosedSums sums =
      enclose_sums_over_rows(c, RowBlocks(c, kElementsOfNormSums), threads, progress);
  for (StoredTensor& sum : sums.tensors)
    *std::ranges::find(expected.tensors, sum.name, &StoredTensor::name) = std::move(sum);
  StoredCase stored = make_stored_case(std::move(drawn), std::move(expected));
  stored.all_rows = std::make_shared<const AllRows>(AllRows{std::move(c), std::move(sums.radius)});
  return stored;
}

}  // namespace normproof::verification::golden::certify
