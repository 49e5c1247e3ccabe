#pragma once

#include "ref/model/operation.hpp"
#include "ref/model/operation_inputs.hpp"
#include "verification/checks/evaluation/tensor_reader.hpp"

namespace normproof::verification::checks::evaluation {

/// Reads the inputs of a function and converts each exactly to double.
///
/// Shapes    x [..., D] of rank 2 or more; gate and valid have the shape of x; grad_y has the shape
///           of y. Attention: q [B,H,T,D], k [B,G,S,D], v [B,G,S,E], valid [B,S], optional sinks
///           [H] and bias [B or 1, H or 1, T, S]. cross_entropy: logits [N,C], targets and valid
///           [N], optional class_weights [C]. rope: x [..., T, D], cos and sin [T,P].
///           merge_attention_states: o [P,B,H,T,E], log_sum_exp [P,B,H,T]
/// Throws    FileError naming the tensor and the expectation; for an unknown tensor it suggests the
///           nearest known name
ref::model::FunctionInputs function_inputs(const TensorReader& reader,
                                           const ref::model::FunctionOptions& function);

}  // namespace normproof::verification::checks::evaluation
