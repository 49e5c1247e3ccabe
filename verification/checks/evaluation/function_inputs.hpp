#pragma once

#include "ref/model/operation.hpp"
#include "ref/model/operation_inputs.hpp"
#include "verification/checks/evaluation/tensor_reader.hpp"

namespace normproof::verification::checks::evaluation {

/// The inputs of a function, each widened exactly to double.
///
/// Shapes    x [..., D] of rank 2 at least, gate and valid as x; of attention q [B,H,T,D], k
///           [B,G,S,D], v [B,G,S,E], valid [B,S]; grad_y that of y; of cross_entropy logits
///           [N,C], targets and valid [N], class_weights [C] or none; of rope x [..., T, D], cos
///           and sin [T,P]
/// Throws    FileError naming the tensor and the expectation; an unknown tensor with the nearest
///           known name
ref::model::FunctionInputs function_inputs(const TensorReader& reader,
                                           const ref::model::FunctionOptions& function);

}  // namespace normproof::verification::checks::evaluation
