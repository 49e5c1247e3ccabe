#pragma once

#include <string_view>

#include "ref/model/operation_inputs.hpp"
#include "verification/golden/corpus/case.hpp"

/// Cases whose inputs contain NaN or infinity (docs/specification/not_finite.md).
namespace normproof::verification::golden::certify {

/// Finite numbers that replace infinities and NaNs of the inputs. The first infinity or NaN is
/// replaced by `first`; each further replacement is larger than the one before it by `apart`.
struct Replacements {
  double first, apart;
};
inline constexpr Replacements kReplacements{.first = 0.75, .apart = 0};
/// Replacements that differ from kReplacements and from each other. An output that depends on a
/// replaced input changes when these are used, even if it depends only on differences of inputs.
inline constexpr Replacements kOtherReplacements{.first = -2.5, .apart = 0.125};

/// Whether x or a gradient, or a tensor of a function, has an element that is infinite or NaN.
bool has_not_finite(const ref::model::OperationInputs& inputs);

/// Replaces every infinity and NaN of x and of the gradients, or of the tensors of a function, by a
/// finite number.
///
/// If the operation takes -infinity as a limit, and its row has a finite element and no other
/// element that is not finite, then -infinity becomes a number so far below the row that its
/// exponential rounds to 0. In an operation on elements, it becomes a negative number in any row.
/// This number does not depend on `replacements`.
void replace_not_finite(ref::model::OperationInputs& inputs, const corpus::Case& c,
                        const Replacements& replacements);

/// Replaces the finite numbers of the gradients by numbers without any pattern. With a constant
/// grad_y, for example, the gradient of a norm is 0 whatever x is. Rows of padding are unchanged.
/// It is used to find out which outputs depend on an input.
void replace_gradients_by_generic_numbers(ref::model::OperationInputs& inputs);

/// Whether element i of an output is -infinity: y of log_softmax where x is -infinity and a limit,
/// or y of log_sum_exp for a row of -infinity alone, or log_sum_exp of merge_attention_states for a
/// query whose splits are all empty.
/// `inputs` are those of the case, without replacements.
bool is_minus_infinity(const ref::model::OperationInputs& inputs, const corpus::Case& c,
                       std::string_view output, std::size_t i);

/// Throws    UsageError that names the tensor and the element if an operation does not take an
///           infinity of the inputs (ref/model/operation_info.hpp, InfiniteElements), or if a loss
///           is infinite because the logit of a target is -infinity, or any logit with label
///           smoothing
void check_infinities(const ref::model::OperationInputs& inputs, const corpus::Case& c);

}  // namespace normproof::verification::golden::certify
