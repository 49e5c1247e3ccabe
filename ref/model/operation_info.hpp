#pragma once

#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "ref/model/operation.hpp"

/// A table that describes every operation: its inputs, its outputs, and whether its samples depend
/// on each other. `normproof operations` prints the table. File readers, test cases, tests that
/// compare two calls, and the Python programs use it. The table contains no arithmetic.
namespace normproof::ref::model {

enum class OperationKind { layer, function, encoder, transformer, optimizer };

/// The parts into which y can be divided so that each part depends only on the same part of the
/// inputs. The enumerator names the smallest such part.
enum class Independence {
  element,  ///< an element of y depends only on the elements at the same index
  row,      ///< a row of y, all elements along the last axis, depends only on the same row
  sample,   ///< a sample of y, along the first axis, depends only on the same sample
  none      ///< samples influence each other
};

/// The effect of infinite elements of the inputs, other than gradients, on the outputs. A NaN
/// always makes every output NaN that is computed from it.
enum class InfiniteElements {
  /// The result at an infinity depends on the order of operations.
  unspecified,
  /// No output that is computed from an infinity is finite.
  make_nan,
  /// In the first operand, an element -infinity has the exponential 0, or, in an operation on
  /// elements, the result 0. A row is NaN if it has an element +infinity, or no finite element.
  minus_infinity_is_a_limit
};

/// The elements that a mask hides from the rest of their row. They do not change the results, but
/// correct implementations may differ if one of them, or of their row, is NaN.
enum class HiddenElements {
  unread,          ///< no implementation reads them
  minus_infinity,  ///< an implementation may add -infinity to them, and keep a NaN of their row
  times_zero       ///< an implementation may multiply them by 0
};

enum class OperandType { real, boolean, integer };

/// A tensor that an operation reads or returns.
struct OperandInfo {
  std::string name;
  std::string shape;      ///< "[..., D]"; "[N,D] or [B,T,D]"
  bool optional = false;  ///< an input that may be absent; an output that some calls omit
  OperandType type = OperandType::real;

  /// Whether the first axis of the tensor is the batch, with one index per sample.
  bool has_samples() const;
};

/// How an EqualForm computes y. Besides x, it uses a second operand, which is either multiplied by
/// the result of the operation or added to x before the operation.
enum class Combination {
  times_gate,  ///< y = operation(x) * gate
  of_sum       ///< y = operation(x + residual)
};

/// A second way to compute the y of an operation: by a different operation that has the same
/// options.
struct EqualForm {
  std::string operation;
  Combination combination = Combination::times_gate;
};

struct OperationInfo {
  std::string name;
  OperationKind kind = OperationKind::function;
  /// The inputs of the operation. The required inputs come first, and the first of them determines
  /// the shape of a test case. The parameters and the state of encoders and Transformers are not
  /// listed, because they depend on the number of layers.
  std::vector<OperandInfo> operands = {};
  std::vector<OperandInfo> outputs = {};  ///< does not include the state after the step
  std::vector<OperandInfo> state = {};    ///< kept from step to step: an input and an output
  Independence independence = Independence::none;
  bool reduces = false;  ///< whether y lacks the last axis of x
  std::vector<EqualForm> equal_forms = {};
  InfiniteElements infinite_elements = InfiniteElements::unspecified;
  HiddenElements hidden_elements = HiddenElements::unread;
  /// Whether grad_x may compare x with 0 and use a mask, so that a NaN in x, and a NaN in grad_y
  /// that the mask excludes, may or may not reach it.
  bool gradient_compares_x = false;
  /// Whether an element +infinity makes y infinite, so that y has no finite limit. Some
  /// implementations return infinity, and others NaN.
  bool plus_infinity_makes_y_infinite = false;

  /// Returns the operand with this name, or null if there is none.
  const OperandInfo* operand(std::string_view operand_name) const;
  bool takes(std::string_view operand_name) const { return operand(operand_name) != nullptr; }
  /// Whether the operation has a mask `valid` that selects the elements, rows or tokens that take
  /// part.
  bool has_mask_operand() const { return takes("valid"); }
  /// Whether each row, or each element, is computed independently of the others.
  bool is_computed_per_row() const;
};

/// Returns the descriptions of all operations: layers, functions, encoders, Transformers and
/// optimizers. The operations of one kind are in the order of the alternatives of its variant in
/// operation.hpp. The descriptions of layers are made from norm_layers().
std::span<const OperationInfo> operations();
/// Returns the descriptions of the operations of one kind.
std::span<const OperationInfo> operations(OperationKind kind);

const OperationInfo& operation_info(const Operation& operation);
const OperationInfo& operation_info(const FunctionOptions& function);
/// Returns the description of the operation with this name.
/// Throws    UsageError that suggests the nearest known name
const OperationInfo& operation_info(std::string_view name);

template <class T, class Variant>
inline constexpr bool is_alternative_of = false;
template <class T, class... Alternatives>
inline constexpr bool is_alternative_of<T, std::variant<Alternatives...>> =
    (std::is_same_v<T, Alternatives> || ...);

/// Returns the operation whose options have the type Options, with default values.
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

/// Whether `name` is the name of the operation whose options have the type Options. Example:
/// is_operation_name<ReluOptions>(name).
template <class Options>
bool is_operation_name(std::string_view name) {
  return operation_info(default_operation<Options>()).name == name;
}

/// Return the name of an enumerator, such as "layer", "row", "boolean" or "times_gate".
std::string_view to_string(OperationKind kind);
std::string_view to_string(InfiniteElements elements);
std::string_view to_string(Independence independence);
std::string_view to_string(OperandType type);
std::string_view to_string(Combination combination);

}  // namespace normproof::ref::model
