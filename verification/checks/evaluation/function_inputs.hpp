#pragma once

#include <string_view>

#include "verification/checks/evaluation/tensor_reader.hpp"
#include "verification/operands/operands.hpp"

namespace normproof::verification::checks::evaluation {

/// The inputs of a function, each widened exactly to double.
///
/// Shapes    x [..., D] of rank 2 at least, gate and valid as x; of attention q [B,H,T,D], k
///           [B,G,S,D], v [B,G,S,E], valid [B,S]; grad_y that of y; of cross_entropy logits
///           [N,C], targets and valid [N], class_weights [C] or none; of rope x [..., T, D], cos
///           and sin [T,P]
/// Throws    FileError naming the tensor and the expectation; an unknown tensor with the nearest
///           known name
operands::FunctionInputs function_inputs(const TensorReader& reader, std::string_view function);

}  // namespace normproof::verification::checks::evaluation
