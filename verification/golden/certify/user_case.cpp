#include "verification/golden/certify/user_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "ref/numeric/errors.hpp"
#include "verification/checks/evaluation/sequence.hpp"
#include "verification/golden/certify/condition.hpp"
#include "verification/golden/certify/for_each_in_parallel.hpp"
#include "verification/golden/certify/row_parts.hpp"
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

/// Returns the dtype of x or of the parameter of an optimizer. If neither is given, returns the
/// dtype of the first floating-point input.
DType case_dtype(const std::vector<StoredTensor>& inputs) {
  for (const char* name : {"x", "parameter"})
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

/// Runs the operation once in double, so that violated requirements are reported before the
/// certification starts.
void check_requirements(const Case& c) {
  try {
    checks::evaluation::EvalInputs inputs = recipes::inputs_of(c);
    check_infinities(inputs, c);
    replace_not_finite(inputs, c, kReplacements);
    checks::evaluation::run_operation<double>(c.options, inputs, c.sequence);
  } catch (const ref::numeric::FileError& error) {
    throw UsageError(error.what());
  } catch (const ref::numeric::ContractError& error) {
    throw UsageError(
        fmt::format("{}: {}", case_folder(c), sentence(rename_to_option(c, error.violation()))));
  }
}

/// Adds the certificate of a part to the certificate of the whole case. The counts are added. The
/// precision and the widths become the larger of the two values.
void add(Certificate& all, const Certificate& part) {
  all.bits = std::max(all.bits, part.bits);
  all.elements += part.elements;
  all.ties += part.ties;
  all.widest = std::max(all.widest, part.widest);
  all.second_widest = std::max(all.second_widest, part.second_widest);
}

Expected certify_in_parts(const Case& c, int threads) {
  const std::vector<Case> parts = split_into_row_parts(c, static_cast<std::size_t>(threads));
  if (parts.size() == 1) return certify(c, threads > 1);
  std::vector<Expected> results_of_parts(parts.size());
  try {
    for_each_in_parallel(parts.size(), threads,
                         [&](std::size_t i) { results_of_parts[i] = certify(parts[i]); });
    // The message would name an element of the part, not of the case.
  } catch (const std::runtime_error&) {
    return certify(c, true);
  }
  Expected whole;
  whole.certificate = results_of_parts.front().certificate;
  std::vector<std::vector<StoredTensor>> tensors;
  for (Expected& part : results_of_parts) {
    if (!tensors.empty()) add(whole.certificate, part.certificate);
    tensors.push_back(std::move(part.tensors));
  }
  whole.tensors = join_parts(tensors);
  return whole;
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

Case make_user_case(const UserCase& question) {
  check_case_name(question.name);
  Case c;
  c.tier = corpus::Tier::user;
  c.reason = question.name;
  c.why = "a question of the caller's own";
  c.options = ref::model::operation(question.op);
  for (const auto& [name, value] : question.options) ref::model::set_option(c.options, name, value);
  c.mode = parse_mode(question.mode);
  c.sequence = question.sequence;
  c.inputs = question.inputs;
  std::ranges::sort(c.inputs, {}, &StoredTensor::name);
  const auto twice = std::ranges::adjacent_find(c.inputs, {}, &StoredTensor::name);
  if (twice != c.inputs.end())
    throw UsageError(fmt::format("the input '{}' is given twice; expected once", twice->name));
  c.dtype = case_dtype(c.inputs);
  check_requirements(c);
  return c;
}

StoredCase certify_user_case(const Case& c, int threads) {
  Expected expected = certify_in_parts(c, threads);
  StoredCase stored;
  CaseDescription& description = stored.description;
  description.path = case_folder(c);
  description.c = c;
  description.condition = condition_number(c);
  description.case_text = manifest_entry_text(c, expected);
  for (const StoredTensor& tensor : expected.tensors)
    if (!tensor.name.ends_with("_lo")) description.outputs.push_back(tensor.name);
  stored.expected = std::move(expected.tensors);
  return stored;
}

}  // namespace normproof::verification::golden::certify
