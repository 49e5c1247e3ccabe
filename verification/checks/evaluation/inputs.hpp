#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ref/io/stored_tensor.hpp"
#include "ref/norm/norm.hpp"
#include "verification/checks/evaluation/encoders.hpp"
#include "verification/checks/evaluation/functions.hpp"
#include "verification/checks/evaluation/optimizers.hpp"
#include "verification/checks/evaluation/tensor_reader.hpp"
#include "verification/checks/evaluation/transformers.hpp"

namespace normproof::verification::checks::evaluation {

using EvalInputs = ref::model::OperationInputs;

/// Reads the inputs of a norm layer.
/// Computes  x and the tensors of the layer's state. If the file contains gamma, beta, grad_y or
///           valid, also reads these tensors. Each tensor is converted exactly to double. If the
///           file does not contain a tensor of the state, the tensor is taken from initial_state.
///           With `sequence`, x, grad_y and valid have a leading axis of steps
/// Shapes    x is [N,D] or [B,T,D], or has the axes of the layout in the options. grad_y has the
///           shape of x. valid has the shape of x without D, and is boolean, or 0 and 1 of any
///           dtype. gamma and beta have rank 1. The state has the shapes of initial_state;
///           `iterations` is [1] or []. With `sequence`, the axis of steps precedes these axes
/// Throws    FileError naming `file`, the tensor and the expectation. If `offers_sequence` is true,
///           the message also suggests --sequence. For an unknown tensor it suggests the nearest
///           known name
EvalInputs eval_inputs(std::string_view file, std::span<const ref::io::StoredTensor> tensors,
                       const ref::model::NormOptions& options, ref::model::Mode mode, bool sequence,
                       bool offers_sequence = true);

/// Reads the inputs of any operation. Inputs in parentheses are optional. The operations have these
/// inputs:
/// - A function has the inputs of function_inputs; mode and sequence are not used.
/// - An encoder layer has x [B,T,D], (grad_y [B,T,D]), (valid [B,T]), its parameters under the
///   names of ref/encoder without "layers.0.", and the state of its norms. With dropout it also has
///   a mask <place>.keep for each entry of mask_shapes: boolean, or 0 and 1; true keeps an element.
/// - A decoder layer also has memory [B,S,D] and (memory_valid [B,S]). Its parameters have the
///   names of ref/decoder without "decoder.layers.0.".
/// - An encoder has tokens [B,T], (valid [B,T]), labels [B], (class_weights [C]), its parameters
///   and the state.
/// - A whole Transformer has the inputs of transformer_inputs.
/// - An optimizer has parameter, grad_parameter, (its moments) and (iterations). The optional ones
///   are 0 if they are absent. If `sequence` is true, grad_parameter has a leading axis of steps.
EvalInputs operation_inputs(std::string_view file, std::span<const ref::io::StoredTensor> tensors,
                            const ref::model::Operation& operation, ref::model::Mode mode,
                            bool sequence);
/// Overload for a reader. A reader may multiply elements by their scales.
EvalInputs operation_inputs(const TensorReader& reader, const ref::model::Operation& operation,
                            ref::model::Mode mode, bool sequence);

}  // namespace normproof::verification::checks::evaluation
