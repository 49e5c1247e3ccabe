#include "ref/model/operation.hpp"

#include <algorithm>
#include <iterator>

#include "ref/model/option_fields.hpp"

namespace normproof::ref::model {

// Found by argument-dependent lookup from option_fields.hpp.
static void visit_fields(SoftmaxOptions&, auto&&) {}
static void visit_fields(LogSoftmaxOptions&, auto&&) {}
static void visit_fields(LogSumExpOptions&, auto&&) {}
static void visit_fields(ReluOptions&, auto&&) {}
static void visit_fields(GeluOptions&, auto&&) {}
static void visit_fields(GeluTanhOptions&, auto&&) {}

namespace {

constexpr const char* kFunctionNames[] = {"softmax", "log_softmax", "log_sum_exp",
                                          "relu",    "gelu",        "gelu_tanh"};
static_assert(std::size(kFunctionNames) == std::variant_size_v<FunctionOptions>);

std::string function_name(const FunctionOptions& options) {
  return kFunctionNames[options.index()];
}

}  // namespace

std::vector<std::string> function_names() {
  return {std::begin(kFunctionNames), std::end(kFunctionNames)};
}

bool is_function(std::string_view name) {
  return std::ranges::find(kFunctionNames, name) != std::end(kFunctionNames);
}

std::string operation_name(const Operation& operation) {
  const auto* const layer = std::get_if<NormOptions>(&operation);
  return layer != nullptr ? norm_name(*layer) : function_name(std::get<FunctionOptions>(operation));
}

std::vector<std::string> operation_names() {
  std::vector<std::string> names = norm_names();
  names.insert(names.end(), std::begin(kFunctionNames), std::end(kFunctionNames));
  return names;
}

Operation operation(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kFunctionNames); ++i)
    if (name == kFunctionNames[i]) return alternative_at<FunctionOptions>(i);
  const std::vector<std::string> layers = norm_names();
  if (std::ranges::find(layers, name) != layers.end()) return norm_options(name);
  throw numeric::UsageError(numeric::unknown_name("layer or function", name, operation_names()));
}

void set_option(Operation& operation, std::string_view field, std::string_view value) {
  if (auto* const layer = std::get_if<NormOptions>(&operation))
    return set_option(*layer, field, value);
  auto& function = std::get<FunctionOptions>(operation);
  set_field(function, function_name(function), field, value);
}

std::vector<std::pair<std::string, std::string>> list_options(const Operation& operation) {
  if (const auto* const layer = std::get_if<NormOptions>(&operation)) return list_options(*layer);
  return list_fields(std::get<FunctionOptions>(operation));
}

}  // namespace normproof::ref::model
