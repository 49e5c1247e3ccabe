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
#include "verification/checks/evaluation/transformers.hpp"

namespace normproof::verification::checks::evaluation {

using EvalInputs = ref::model::OperationInputs;

/// Computes  the inputs of the layer: x, optional gamma, beta, grad_y, valid, and the tensors of
///           its state, those absent from initial_state; each widened exactly to double. With
///           `sequence` x, grad_y and valid have a leading axis of steps
/// Shapes    x [N,D] or [B,T,D], or as the layout of the options has it, with `sequence` behind an
///           axis of steps; grad_y as x; valid as x without D, boolean or 0 and 1 of any dtype;
///           gamma and beta of rank 1; the state as initial_state, `iterations` [1] or []
/// Throws    FileError naming `file`, the tensor and the expectation, and --sequence where the
///           caller `offers_sequence`; an unknown tensor with the nearest known name
EvalInputs eval_inputs(std::string_view file, std::span<const ref::io::StoredTensor> tensors,
                       const ref::model::NormOptions& options, ref::model::Mode mode, bool sequence,
                       bool offers_sequence = true);

/// The inputs of any operation. A function takes those of function_inputs; mode and sequence mean
/// nothing to it. An encoder layer takes x [B,T,D], grad_y as x or none, valid [B,T] or none, its
/// parameters under the names of ref/encoder without "layers.0.", and the state of its norms, with
/// dropout also <place>.keep for each of mask_shapes, boolean or 0 and 1, true = is kept; an
/// decoder layer also takes memory [B,S,D] and memory_valid [B,S] or none, and its parameters are
/// under the names of ref/decoder without "decoder.layers.0."; an encoder takes tokens and valid
/// [B,T], labels [B], class_weights [C] or none, its parameters and the state. What a whole
/// Transformer takes is said by transformer_inputs. An optimizer takes
/// parameter, grad_parameter (with `sequence` a leading axis of steps), and of its moments and
/// iterations those that are not 0.
EvalInputs operation_inputs(std::string_view file, std::span<const ref::io::StoredTensor> tensors,
                            const ref::model::Operation& operation, ref::model::Mode mode,
                            bool sequence);

}  // namespace normproof::verification::checks::evaluation
