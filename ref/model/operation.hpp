#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ref/model/norm_options.hpp"

namespace normproof::ref::model {

/// Functions without parameters and without state: ref/ops/softmax.hpp, ref/ops/activation.hpp.
struct SoftmaxOptions {};
struct LogSoftmaxOptions {};
struct LogSumExpOptions {};
struct ReluOptions {};
struct GeluOptions {};
struct GeluTanhOptions {};

/// Every function that an implementation can be asked for: the closed list.
using FunctionOptions = std::variant<SoftmaxOptions, LogSoftmaxOptions, LogSumExpOptions,
                                     ReluOptions, GeluOptions, GeluTanhOptions>;

/// "softmax", "log_softmax", "log_sum_exp", "relu", "gelu", "gelu_tanh".
std::vector<std::string> function_names();
bool is_function(std::string_view name);

/// A layer of ref/norm, or a function.
using Operation = std::variant<NormOptions, FunctionOptions>;

std::string operation_name(const Operation& operation);
/// Those of norm_names and function_names.
std::vector<std::string> operation_names();

/// The operation with its default options.
/// Throws    UsageError with the nearest known name
Operation operation(std::string_view name);

/// As set_option and list_options of NormOptions.
void set_option(Operation& operation, std::string_view field, std::string_view value);
std::vector<std::pair<std::string, std::string>> list_options(const Operation& operation);

}  // namespace normproof::ref::model
