#pragma once

#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "ref/model/operation.hpp"

/// Describes every operation: what it reads and returns and how samples depend on each other.
/// `normproof operations` prints the descriptions; file readers, test cases, relations between
/// calls and the Python programs read them. A row describes; it never computes.
namespace normproof::ref::model {

enum class OperationKind { layer, function, encoder, transformer, optimizer };

/// The smallest part of its inputs that an operation computes by itself.
enum class Independence {
  element,  ///< an element of y depends only on the elements at the same place
  row,      ///< a row of y, all elements along the last axis, depends only on the same row
  sample,   ///< a sample of y, along the first axis, depends only on the same sample
  none      ///< samples influence each other
};

enum class OperandType { real, boolean, integer };

/// A tensor that an operation reads or returns.
struct OperandInfo {
  std::string name;
  std::string shape;      ///< "[..., D]"; "[N,D] or [B,T,D]"
  bool optional = false;  ///< may be absent; of an output: not returned by every call
  OperandType type = OperandType::real;

  /// Whether the first axis counts samples.
  bool has_samples() const;
};

/// How another operation enters an equal form.
enum class Combination {
  times_gate,  ///< y = operation(x) * gate
  of_sum       ///< y = operation(x + residual)
};

/// A formula that gives the same y by another operation with the same options.
struct EqualForm {
  std::string operation;
  Combination combination = Combination::times_gate;
};

struct OperationInfo {
  std::string name;
  OperationKind kind = OperationKind::function;
  /// The required ones first, of which the first gives a case its shape. The parameters and the
  /// state of encoders and Transformers depend on their number of layers and are not listed.
  std::vector<OperandInfo> operands = {};
  std::vector<OperandInfo> outputs = {};  ///< without the state after the step
  std::vector<OperandInfo> state = {};    ///< carried from step to step: read and returned
  Independence independence = Independence::none;
  bool reduces = false;  ///< y has no last axis
  std::vector<EqualForm> equal_forms = {};

  /// Returns null if there is no operand of that name.
  const OperandInfo* operand(std::string_view operand_name) const;
  bool takes(std::string_view operand_name) const { return operand(operand_name) != nullptr; }
  /// Whether a mask `valid` says which elements, rows or tokens take part.
  bool takes_mask() const { return takes("valid"); }
  /// Whether rows, or elements, are computed each by itself.
  bool is_by_row() const;
};

/// Every operation: layers, functions, encoders, Transformers, optimizers, each kind in the order
/// of its variant in operation.hpp. The rows of layers are made from norm_layers().
std::span<const OperationInfo> operations();
/// The rows of one kind.
std::span<const OperationInfo> operations(OperationKind kind);

const OperationInfo& operation_info(const Operation& operation);
/// Throws    UsageError with the nearest known name
const OperationInfo& operation_info(std::string_view name);

template <class T, class Variant>
inline constexpr bool is_alternative_of = false;
template <class T, class... Alternatives>
inline constexpr bool is_alternative_of<T, std::variant<Alternatives...>> =
    (std::is_same_v<T, Alternatives> || ...);

/// The operation with these options at their defaults.
template <class Options>
Operation default_operation() {
  if constexpr (is_alternative_of<Options, NormOptions>)
    return NormOptions(Options{});
  else if constexpr (is_alternative_of<Options, FunctionOptions>)
    return FunctionOptions(Options{});
  else if constexpr (is_alternative_of<Options, EncoderOperation>)
    return EncoderOperation(Options{});
  else if constexpr (is_alternative_of<Options, TransformerOperation>)
    return TransformerOperation(Options{});
  else
    return OptimizerOperation{.optimizer = Options{}};
}

/// Whether `name` is that of the operation with these options: is_name_of<ReluOptions>(name).
template <class Options>
bool is_name_of(std::string_view name) {
  return operation_info(default_operation<Options>()).name == name;
}

/// "layer"; "row"; "boolean"; "times_gate".
std::string_view to_string(OperationKind kind);
std::string_view to_string(Independence independence);
std::string_view to_string(OperandType type);
std::string_view to_string(Combination combination);

}  // namespace normproof::ref::model
